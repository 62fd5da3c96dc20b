import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

/** The folder of one instance: everything that outlives a restart, and nothing that another instance shares. */
export interface State {
  dir: string
  wranglerDir: string
  workDir: string
  workerLog: string
  containerLog: string
  /** In the form that `wrangler dev --env-file` reads. */
  secretsFile: string
  devFile: string
  migrationsStamp: string
}

export const openState = async (stateDir: string): Promise<State> => {
  const dir = resolve(stateDir)
  await mkdir(dir, { recursive: true })
  await claim(dir)
  return {
    dir,
    wranglerDir: join(dir, 'wrangler'),
    workDir: join(dir, 'work'),
    workerLog: join(dir, 'worker.log'),
    containerLog: join(dir, 'container.log'),
    secretsFile: join(dir, 'secrets.env'),
    devFile: join(dir, 'dev.json'),
    migrationsStamp: join(dir, 'migrations.sha256'),
  }
}

export const closeState = ({ dir }: State): Promise<void> => rm(holderFile(dir), { force: true })

const holderFile = (dir: string): string => join(dir, 'running.pid')

/** Two Workers over the same databases would destroy them. */
const claim = async (dir: string): Promise<void> => {
  const holder = Number(await readFile(holderFile(dir), 'utf8').catch(() => ''))
  if (holder && holder !== process.pid && isAlive(holder)) {
    throw new Error(
      `Haul runs already on ${dir} (process ${holder}): stop it, or choose another folder with HAUL_STATE=…`,
    )
  }
  await writeFile(holderFile(dir), String(process.pid))
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

export interface Secrets {
  HAUL_SECRET: string
  SEAL_KEYS: string
  ADMIN_TOKEN: string
  ENGINE_TOKEN: string
  MEDIA_S3_ACCESS_KEY_ID: string
  MEDIA_S3_SECRET_ACCESS_KEY: string
}

/** Made once: other keys would make every link, API key and sealed credential of this state worthless. */
export const readSecrets = async ({ secretsFile }: State): Promise<Secrets> => {
  const text = await readFile(secretsFile, 'utf8').catch(() => '')
  const kept = Object.fromEntries(text.split('\n').flatMap((line) => (line.includes('=') ? [splitAt(line, '=')] : [])))
  const secrets: Secrets = {
    HAUL_SECRET: random(),
    SEAL_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    ADMIN_TOKEN: random(),
    ENGINE_TOKEN: random(),
    ...kept,
    // Those of r2_buckets.local_dev in wrangler.toml.
    MEDIA_S3_ACCESS_KEY_ID: 'haul-local',
    MEDIA_S3_SECRET_ACCESS_KEY: 'haul-local-secret',
  }
  await writePrivately(
    secretsFile,
    Object.entries(secrets)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )
  return secrets
}

const random = (): string => randomBytes(32).toString('hex')

const splitAt = (line: string, mark: string): [string, string] => {
  const at = line.indexOf(mark)
  return [line.slice(0, at), line.slice(at + 1)]
}

/** For our own eyes, and whole or not at all. */
export const writePrivately = async (path: string, text: string): Promise<void> => {
  await writeFile(`${path}.new`, text, { mode: 0o600 })
  await rename(`${path}.new`, path)
}
