import { createHash } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { passedOn } from '../../domain/settings/settings.ts'
import { type Secrets, writePrivately } from '../../self-host/data/secrets.ts'
import { S3_PATH } from '../../self-host/servers/upload-parts.ts'
import { pick } from '../../self-host/settings.ts'
import { areApplied, migrationNames } from '../../self-host/worker/migrations.ts'
import type { WranglerToml } from '../wrangler-toml.ts'
import { type Child, type LogFile, startChild } from './child.ts'
import { basicEnv, root } from './environment.ts'
import type { State } from './state.ts'
import { type Supervised, supervise } from './supervise.ts'

export interface WorkerOptions {
  port: number
  engineUrls: string[]
  state: State
  secrets: Secrets
  env: NodeJS.ProcessEnv
  log: LogFile
  print(line: string): void
  signal: AbortSignal
}

/** Starts the Worker on its port and restarts it when it dies. It need not respond yet. */
export type StartWorker = (options: WorkerOptions) => Promise<Supervised>

export const startUnderWrangler: StartWorker = async (options) => {
  const { state, secrets, log, print } = options
  await writeWranglerConfig(state, secrets)
  await applyMigrations(options)
  // Wrangler restarts a crashed runtime, but the new one accepts connections and never responds.
  const onCrash = (): void => void supervised.kill('SIGKILL')
  const supervised = supervise({ name: 'Worker', start: () => startWrangler(options, onCrash), log, print })
  return supervised
}

const HOST = '127.0.0.1'

/** Not `bin/wrangler.js`, which runs this file as its child and does not pass signals on to it. */
export const wrangler = join(root, 'node_modules/wrangler/wrangler-dist/cli.js')

/** The Worker of the console's files. In the same Worker, wrangler would send each request through two Workers of its own. */
const CONSOLE = 'haul-console'

/** `onCrash`: its runtime has crashed, and it is still running. */
const startWrangler = ({ port, engineUrls, state, env, log, print }: WorkerOptions, onCrash: () => void): Child => {
  const baseUrl = `http://${HOST}:${port}`
  const vars = {
    ...passedOn('start', 'worker', env),
    PUBLIC_URL: baseUrl,
    ENGINE_URLS: engineUrls.join(','),
    MEDIA_S3_ENDPOINT: baseUrl + S3_PATH,
    UPLOADS_PATH: '/upload-parts',
  }
  const args = [
    ...['--config', state.wranglerConfig, '--config', state.consoleConfig],
    ...['--ip', HOST, '--port', `${port}`, '--inspector-port', '0'],
    ...['--persist-to', state.wranglerDir, '--env-file', state.secretsFile, '--show-interactive-dev-session=false'],
    ...Object.entries(vars).flatMap(([name, value]) => ['--var', `${name}:${value}`]),
  ]
  return startChild(process.execPath, ['--no-warnings', wrangler, 'dev', ...args], {
    cwd: root,
    env: {
      ...basicEnv(env),
      ...wranglerSettings,
      // A line for each request takes a seventh of the CPU time of a poll. `WRANGLER_LOG=log npm start` writes them.
      WRANGLER_LOG: 'warn',
      ...pick(env, ['WRANGLER_LOG']),
      // Instances share no files of wrangler.
      WRANGLER_REGISTRY_PATH: join(state.dir, 'wrangler-registry'),
      WRANGLER_CACHE_DIR: join(state.dir, 'wrangler-cache'),
    },
    onLine: (line, from) => {
      log.write(line)
      if (/runtime crashed unexpectedly/.test(line)) onCrash()
      if (from === 'stderr' && /\[ERROR\]|Error:/.test(line)) print(`worker: ${line}`)
    },
  })
}

/**
 * Writes wrangler.toml with the keys of the local S3 server. They are secrets, because they give access to every stored
 * file, and wrangler takes them only from its configuration. Reading wrangler.toml loads wrangler, which takes a second,
 * so it is done only after a change.
 */
const writeWranglerConfig = async (state: State, secrets: Secrets): Promise<void> => {
  const source = join(root, 'wrangler.toml')
  const keys = { accessKeyId: secrets.MEDIA_S3_ACCESS_KEY_ID, secretAccessKey: secrets.MEDIA_S3_SECRET_ACCESS_KEY }
  const digest = createHash('sha256')
    .update(JSON.stringify([root, keys]))
    .update(await readFile(source))
    .update(await readFile(import.meta.filename))
    .digest('hex')
  if ((await readFile(state.wranglerConfigStamp, 'utf8').catch(() => '')) === digest) return

  const { readWranglerToml } = await import('../wrangler-toml.ts')
  // Workers AI runs only on Cloudflare, and wrangler would ask for a login.
  const { ai: _, assets, ...wranglerToml } = readWranglerToml(source)
  const config = {
    ...wranglerToml,
    main: join(root, 'worker/under-wrangler.ts'),
    services: [{ binding: 'CONSOLE', service: CONSOLE }],
    vars: { ...wranglerToml.vars, CONSOLE_PATHS: pathsOf(assets) },
    // Wrangler ignores secrets of an env file that are not listed here.
    secrets: { required: [...(wranglerToml.secrets?.required ?? []), 'ADMIN_TOKENS'] },
    r2_buckets: wranglerToml.r2_buckets?.map((bucket) => ({
      ...bucket,
      local_dev: { experimental_s3_credentials: keys },
    })),
  }
  const { compatibility_date } = wranglerToml
  await writeConfig(state.wranglerConfig, config)
  await writeConfig(state.consoleConfig, {
    name: CONSOLE,
    compatibility_date,
    assets: { directory: assets?.directory },
  })
  await writePrivately(state.wranglerConfigStamp, digest)
}

/** Those that production serves without running the Worker. */
const pathsOf = (assets: WranglerToml['assets']): string[] =>
  [assets?.run_worker_first ?? []].flat().flatMap((rule) => (`${rule}`.startsWith('!') ? `${rule}`.slice(1) : []))

const writeConfig = (path: string, config: object): Promise<void> =>
  writePrivately(path, `${JSON.stringify(config, null, 2)}\n`)

/** As the self-hosted server applies them: `wrangler d1 migrations apply` takes five times as long. */
const applyMigrations = async ({ state, signal }: WorkerOptions): Promise<void> => {
  const storage = join(state.wranglerDir, 'v3')
  if (await areApplied(storage, await migrationNames(join(root, 'migrations')))) return
  const [{ describeWorker }, { migrate }] = await Promise.all([
    import('../../self-host/build.ts'),
    import('../../self-host/worker/runtime.ts'),
  ])
  signal.throwIfAborted()
  await mkdir(storage, { recursive: true })
  await migrate({ build: await describeWorker(), storage }).catch((cause) => {
    throw new Error(`The database migrations could not be applied: ${cause.message}`, { cause })
  })
}

export const wranglerSettings = {
  CI: 'true',
  FORCE_COLOR: '0',
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_SEND_ERROR_REPORTS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  // Pages on the Worker's own port that read and change every database and object without a token.
  X_LOCAL_EXPLORER: 'false',
  // Traces and debug logs on disk would contain the URLs of requests, with the signatures of links in them.
  X_LOCAL_OBSERVABILITY: 'false',
  WRANGLER_WRITE_LOGS: 'false',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
}
