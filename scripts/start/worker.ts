import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Child, startChild } from './child.ts'
import { type Kept, keep } from './kept.ts'
import type { LogFile } from './log-file.ts'
import { basicEnv, pick, root } from './place.ts'
import type { State } from './state.ts'

/** What `npm start` passes on to the Worker when its own environment holds it. */
const passedOn = [
  'ALLOW_PRIVATE_HOSTS',
  'LEASE_MS',
  'PROVIDER_A',
  'PROVIDER_B',
  'PROVIDER_C',
  'OPENAI_BASE_URL',
  'DEEPGRAM_BASE_URL',
  'ASSEMBLYAI_BASE_URL',
  'BUILTIN_SPEECH',
] as const

export interface WorkerPlace {
  port: number
  engineUrl: string
  state: State
  env: NodeJS.ProcessEnv
}

export const keepWorker = (place: WorkerPlace, log: LogFile, say: (line: string) => void): Kept => {
  // Wrangler starts a runtime that died anew, but that one accepts connections and never answers.
  const onCrash = (): void => void kept.kill('SIGKILL')
  const kept = keep({ name: 'Worker', start: () => startWorker(place, { log, say, onCrash }), log, say })
  return kept
}

interface Ears {
  log: LogFile
  say(line: string): void
  /** The runtime died, and wrangler did not. */
  onCrash(): void
}

/** Not `bin/wrangler.js`: that one starts this one as its child and dies of a signal without telling it. */
const wrangler = join(root, 'node_modules/wrangler/wrangler-dist/cli.js')
const config = join(root, 'wrangler.toml')

const startWorker = ({ port, engineUrl, state, env }: WorkerPlace, { log, say, onCrash }: Ears): Child => {
  const baseUrl = `http://127.0.0.1:${port}`
  const vars = {
    ...pick(env, passedOn),
    PUBLIC_URL: baseUrl,
    ENGINE_URL: engineUrl,
    MEDIA_S3_ENDPOINT: `${baseUrl}/cdn-cgi/local/r2/s3/haul-media`,
  }
  const args = [
    ...['--config', config, '--ip', '127.0.0.1', '--port', String(port), '--inspector-port', '0'],
    ...['--persist-to', state.wranglerDir, '--env-file', state.secretsFile, '--show-interactive-dev-session=false'],
    ...Object.entries(vars).flatMap(([name, value]) => ['--var', `${name}:${value}`]),
  ]
  return startChild(process.execPath, ['--no-warnings', wrangler, 'dev', ...args], {
    cwd: root,
    env: wranglerEnv(state, env),
    onLine: (line, from) => {
      log.write(line)
      if (/runtime crashed unexpectedly/.test(line)) onCrash()
      if (from === 'stderr' && /\[ERROR\]|Error:/.test(line)) say(`worker: ${line}`)
    },
  })
}

/** Applies what is new in `migrations/`; asks wrangler only when the folder has changed since the last time. */
export const migrate = async (
  { state, env }: Pick<WorkerPlace, 'state' | 'env'>,
  log: LogFile,
  signal: AbortSignal,
): Promise<void> => {
  const wanted = await digestOfMigrations()
  if ((await readFile(state.migrationsStamp, 'utf8').catch(() => '')) === wanted) return
  const args = ['d1', 'migrations', 'apply', 'haul', '--local', '--config', config, '--persist-to', state.wranglerDir]
  const child = startChild(process.execPath, ['--no-warnings', wrangler, ...args], {
    cwd: root,
    env: wranglerEnv(state, env),
    onLine: log.write,
  })
  signal.addEventListener('abort', () => child.stop('SIGKILL'))
  const { how } = await child.exited
  signal.throwIfAborted()
  if (how !== 'code 0') throw new Error(`The database's migrations could not be applied (${how}):\n${log.tail()}`)
  await mkdir(state.wranglerDir, { recursive: true })
  await writeFile(state.migrationsStamp, wanted)
}

const digestOfMigrations = async (): Promise<string> => {
  const folder = join(root, 'migrations')
  const hash = createHash('sha256')
  for (const name of (await readdir(folder)).sort()) hash.update(name).update(await readFile(join(folder, name)))
  return hash.digest('hex')
}

/** Nothing shared with other instances, nothing asked, nothing told to anybody. */
const wranglerEnv = (state: State, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...basicEnv(env),
  CI: 'true',
  FORCE_COLOR: '0',
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_SEND_ERROR_REPORTS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  WRANGLER_LOG_PATH: join(state.dir, 'wrangler-logs'),
  WRANGLER_REGISTRY_PATH: join(state.dir, 'wrangler-registry'),
  WRANGLER_CACHE_DIR: join(state.dir, 'wrangler-cache'),
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
})
