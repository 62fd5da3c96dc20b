import { randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'

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

/** Generated once: new secrets would invalidate every link, key and sealed credential. `given` are used instead. */
export const readSecrets = async (file: string, given: Partial<Secrets> = {}): Promise<Secrets> => {
  const text = await readFile(file, 'utf8').catch(() => '')
  const secrets: Secrets = {
    HAUL_SECRET: random(),
    SEAL_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    ADMIN_TOKEN: random(),
    ADMIN_TOKENS: '',
    ENGINE_TOKEN: random(),
    MEDIA_S3_ACCESS_KEY_ID: random(),
    MEDIA_S3_SECRET_ACCESS_KEY: random(),
    ...parseEnv(text),
    ...given,
  }
  const written = Object.entries(secrets).map(([name, value]) => `${name}=${value}\n`)
  if (written.join('') !== text) await writePrivately(file, written.join(''))
  return secrets
}

const random = (): string => randomBytes(32).toString('hex')

/** Readable by this user only, and written atomically. */
export const writePrivately = async (path: string, text: string): Promise<void> => {
  await writeFile(`${path}.new`, text, { mode: 0o600 })
  await rename(`${path}.new`, path)
}
