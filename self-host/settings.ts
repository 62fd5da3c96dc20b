import { join } from 'node:path'
import { type Environment, passedOn, readEnvironment } from '../domain/settings/settings.ts'
import type { Secrets } from './data/secrets.ts'
import { S3_PATH } from './servers/upload-parts.ts'

/** Reads the server's settings from its environment. Throws a sentence for the operator. */
export const readSettings = (env: Environment) => {
  const read = readEnvironment('selfHost', env)
  return {
    dataDir: read.DATA_DIR,
    /** Where callers connect. */
    host: read.HOST,
    port: read.PORT,
    /** Where engines connect. */
    engineHost: read.INTERNAL_HOST,
    enginePort: read.INTERNAL_PORT,
    /** How engines reach `enginePort`. */
    internalUrl: new URL(read.INTERNAL_URL ?? `http://haul:${read.INTERNAL_PORT}`),
    /** `host:port` of engines. A name may have many addresses, each of which is an engine. */
    engines: read.ENGINE_HOSTS,
    /** The token of the engines is also written here, for them to read. */
    engineTokenFile: read.ENGINE_TOKEN_FILE,
    buildDir: read.BUILD_DIR ?? join(import.meta.dirname, '../dist'),
  }
}

export type Settings = ReturnType<typeof readSettings>

/** Everything that the Worker finds in its environment. `defaults`: the variables of wrangler.toml. */
export const workerVariables = ({
  defaults,
  env,
  secrets,
  internalUrl,
  engineUrls,
}: Pick<Settings, 'internalUrl'> & {
  defaults: Record<string, string>
  env: Environment
  secrets: Secrets
  engineUrls: string[]
}): Record<string, string> => ({
  ...defaults,
  ...passedOn('selfHost', 'worker', env),
  ...withEnvironment(secrets, env),
  ENGINE_URLS: engineUrls.join(),
  CALLBACK_URL: internalUrl.origin,
  MEDIA_S3_ENDPOINT: internalUrl.origin + S3_PATH,
  UPLOADS_PATH: S3_PATH,
})

/** The environment's secrets are used and not stored. */
export const withEnvironment = (secrets: Secrets, env: Environment): Secrets => ({
  ...secrets,
  ...pick(env, Object.keys(secrets)),
})

export const pick = (env: Environment, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name]]] : [])))

/** Networks that workerd may connect to. An allowed name may have any private address; the Worker itself checks names. */
export const reachableNetworks = (engineAddress: string, allowedHosts: string): string[] => {
  const hosts = allowedHosts.split(',').flatMap((entry) => entry.trim().replace(/:\d+$/, '') || [])
  const allowed = hosts.map((host) => {
    if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return `${host}/32`
    return host.startsWith('[') ? `${host.replace(/[[\]]/g, '')}/128` : 'private'
  })
  return ['public', `${engineAddress}/32`, ...new Set(allowed)]
}
