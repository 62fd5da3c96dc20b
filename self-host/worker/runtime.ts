import { type ChildProcess, spawn } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { setInterval } from 'node:timers'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type V4MiniflareOptions } from 'miniflare'
import { applyMigrations, areApplied } from './migrations.ts'
import type { Build } from './worker-build.ts'

/**
 * The Worker in workerd. It has two addresses, both on 127.0.0.1: `workerUrl` is the Worker, and `toolsUrl` is
 * miniflare's own server, with the S3 API below /cdn-cgi/. Neither may be public: on every socket to a Worker, miniflare
 * lets `CONNECT` requests call the Worker's functions and queue consumers. Callers and engines use the servers in
 * listeners.ts.
 */
export type Runtime = Awaited<ReturnType<typeof startRuntime>>

export interface RuntimeOptions {
  build: Build
  storage: string
  variables: Record<string, string>
  s3: { accessKeyId: string; secretAccessKey: string }
  /** Host names of `toolsUrl`, which refuses others. */
  toolsHost: string
  /** What the Worker may connect to, in the syntax of workerd's Network: CIDR, or `public`, `private`. */
  reachable: string[]
}

const WATCH_MS = 500
/** Of wrangler.toml. Miniflare runs no crons itself. */
const CRON_MS = 5 * 60_000

export const startRuntime = async (options: RuntimeOptions) => {
  await migrate(options)
  const miniflare = new Miniflare(convertV4MiniflareOptions(optionsOf(options)))
  try {
    const [toolsUrl, workerUrl] = await Promise.all([miniflare.ready, miniflare.unsafeGetDirectURL('haul')])
    const pid = await workerdOf(process.pid)
    const watchdog = endWithUs(pid)
    const crashed = Promise.withResolvers<Error>()
    // Miniflare would start another workerd, but running requests are lost. A restart of everything is known to work.
    const watch = setInterval(() => {
      try {
        process.kill(pid, 0)
      } catch {
        crashed.resolve(new Error('The Workers runtime has ended.'))
      }
    }, WATCH_MS)
    const worker = await miniflare.getWorker('haul')
    const runCron = async (): Promise<void> => {
      await worker.scheduled().catch((error: unknown) => console.error('cron', error))
    }
    const cron = setInterval(runCron, CRON_MS)
    return {
      workerUrl,
      toolsUrl,
      pid,
      crashed: crashed.promise,
      runCron,
      stop: async () => {
        clearInterval(watch)
        clearInterval(cron)
        await miniflare.dispose()
        watchdog.kill('SIGKILL')
      },
    }
  } catch (error) {
    await miniflare.dispose()
    throw error
  }
}

/** The Worker does not run meanwhile: its objects' alarms and its queues would already use the database. */
export const migrate = async ({ build, storage }: Pick<RuntimeOptions, 'build' | 'storage'>): Promise<void> => {
  const names = build.migrations.map(({ name }) => name)
  if (await areApplied(storage, names)) return
  const { d1Databases } = build.worker
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...quiet(storage),
      workers: [{ name: 'migrations', modules: true, script: 'export default {}', d1Databases }],
    } as V4MiniflareOptions),
  )
  try {
    await applyMigrations(await miniflare.getD1Database('DB'), build.migrations)
  } finally {
    await miniflare.dispose()
  }
}

const optionsOf = ({ build, storage, variables, s3, toolsHost, reachable }: RuntimeOptions): V4MiniflareOptions => {
  const { r2Buckets, ...worker } = build.worker
  const buckets = Object.entries(r2Buckets).map(([name, bucket]) => [name, { ...bucket, s3Credentials: s3 }])
  const haul = {
    ...worker,
    name: 'haul',
    bindings: variables,
    r2Buckets: Object.fromEntries(buckets),
    routes: [`${toolsHost}/*`],
    unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
    outboundService: 'outbound',
  }
  return { ...quiet(storage), workers: [haul, outbound(reachable)] } as V4MiniflareOptions
}

/** workerd connects only to addresses that it has checked, so a name that then changes its address gains nothing. */
const outbound = (reachable: string[]) => ({
  name: 'outbound',
  compatibilityDate: '2026-10-01',
  modules: true,
  script: 'export default { fetch: (request, env) => env.NETWORK.fetch(request) }',
  serviceBindings: { NETWORK: { network: { allow: reachable, deny: [], tlsOptions: { trustBrowserCas: true } } } },
})

/** No requests to Cloudflare, no pages for developers, no files outside of the folder. */
const quiet = (storage: string): Partial<V4MiniflareOptions> => ({
  host: '127.0.0.1',
  port: 0,
  resourcePersistencePath: storage,
  cf: false,
  logRequests: false,
  unsafeLocalExplorer: false,
  unsafeObservability: false,
  unsafeTriggerHandlers: false,
  log: new Log(LogLevel.WARN),
  handleStructuredLogs: ({ level, message }) => console[level === 'error' || level === 'warn' ? level : 'log'](message),
})

/** Starts a shell that kills workerd when this process ends: two runtimes on the same databases would corrupt them. */
const endWithUs = (pid: number): ChildProcess => {
  const script = 'read -r _; kill -s KILL "$0"'
  return spawn('/bin/sh', ['-c', script, `${pid}`], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
}

/** Miniflare does not say which process it has started. */
const workerdOf = async (parent: number): Promise<number> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  for (const pid of pids) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    if (stat.startsWith(`${pid} (workerd) `) && stat.split(' ')[3] === `${parent}`) return Number(pid)
  }
  throw new Error('The process of the Workers runtime was not found.')
}
