import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isAlive } from './child.ts'

/** The folder of one instance. It holds everything that survives a restart, and instances share nothing. */
export interface State {
  dir: string
  wranglerDir: string
  workerLog: string
  containers: (index: number) => ContainerFiles
  /** In the format of `wrangler dev --env-file`. */
  secretsFile: string
  devFile: string
  migrationsStamp: string
  wranglerConfig: string
  wranglerConfigStamp: string
}

/** Containers do not share their files. */
export interface ContainerFiles {
  workDir: string
  log: string
}

export const openState = async (stateDir: string): Promise<State> => {
  const dir = resolve(stateDir)
  await mkdir(dir, { recursive: true })
  await claim(dir)
  return {
    dir,
    wranglerDir: join(dir, 'wrangler'),
    workerLog: join(dir, 'worker.log'),
    containers: (index) => {
      const suffix = index === 0 ? '' : `-${index}`
      return { workDir: join(dir, `work${suffix}`), log: join(dir, `container${suffix}.log`) }
    },
    secretsFile: join(dir, 'secrets.env'),
    devFile: join(dir, 'dev.json'),
    migrationsStamp: join(dir, 'migrations.sha256'),
    wranglerConfig: join(dir, 'wrangler.json'),
    wranglerConfigStamp: join(dir, 'wrangler.json.sha256'),
  }
}

export const closeState = ({ dir }: State): Promise<void> => rm(holderFile(dir), { force: true })

const holderFile = (dir: string): string => join(dir, 'running.pid')

/** Two Workers on the same databases would corrupt them. */
const claim = async (dir: string): Promise<void> => {
  const holder = Number(await readFile(holderFile(dir), 'utf8').catch(() => ''))
  if (holder && holder !== process.pid && isAlive(holder)) {
    throw new Error(
      `Haul is already running with ${dir} (process ${holder}): stop it, or choose another folder with HAUL_STATE=…`,
    )
  }
  await writeFile(holderFile(dir), String(process.pid))
}

export interface Secrets {
  HAUL_SECRET: string
  SEAL_KEYS: string
  ADMIN_TOKEN: string
  /** Optional, and taken from the environment at each start. */
  ADMIN_TOKENS: string
  ENGINE_TOKEN: string
  MEDIA_S3_ACCESS_KEY_ID: string
  MEDIA_S3_SECRET_ACCESS_KEY: string
}

/**
 * Generated once: new secrets would invalidate every link, API key and sealed credential of this state. `given`: those
 * that something else knows too.
 */
export const readSecrets = async ({ secretsFile }: State, given: Partial<Secrets> = {}): Promise<Secrets> => {
  const text = await readFile(secretsFile, 'utf8').catch(() => '')
  const lines = text.split('\n').filter((line) => line.includes('='))
  const saved = Object.fromEntries(lines.map((line) => splitAt(line, '=')).filter(([, value]) => !isPublic(value)))
  const secrets: Secrets = {
    HAUL_SECRET: random(),
    SEAL_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    ADMIN_TOKEN: random(),
    ADMIN_TOKENS: '',
    ENGINE_TOKEN: random(),
    MEDIA_S3_ACCESS_KEY_ID: random(),
    MEDIA_S3_SECRET_ACCESS_KEY: random(),
    ...saved,
    ...given,
  }
  await writePrivately(
    secretsFile,
    Object.entries(secrets)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )
  return secrets
}

/** The keys of the S3 server in state folders of version 1.0.0 and before. They were in the repository. */
const isPublic = (value: string): boolean => value === 'haul-local' || value === 'haul-local-secret'

const random = (): string => randomBytes(32).toString('hex')

const splitAt = (line: string, separator: string): [string, string] => {
  const at = line.indexOf(separator)
  return [line.slice(0, at), line.slice(at + 1)]
}

/** Readable by this user only, and written atomically. */
export const writePrivately = async (path: string, text: string): Promise<void> => {
  await writeFile(`${path}.new`, text, { mode: 0o600 })
  await rename(`${path}.new`, path)
}
