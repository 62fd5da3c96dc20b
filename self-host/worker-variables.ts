import { passedOn } from '../domain/settings/settings.ts'
import type { Secrets } from './data/secrets.ts'
import { S3_PATH } from './servers/upload-parts.ts'

interface Given {
  /** The variables of wrangler.toml. */
  defaults: Record<string, string>
  env: Record<string, string | undefined>
  secrets: Secrets
  internalUrl: URL
  engineUrls: string[]
}

export const workerVariables = ({ env, internalUrl, ...given }: Given): Record<string, string> => ({
  ...given.defaults,
  ...passedOn('selfHost', 'worker', env),
  ...withEnvironment(given.secrets, env),
  ENGINE_URLS: given.engineUrls.join(),
  CALLBACK_URL: internalUrl.origin,
  MEDIA_S3_ENDPOINT: internalUrl.origin + S3_PATH,
  UPLOADS_TO_PUBLIC_URL: 'yes',
})

/** The environment's secrets are used and not stored. */
export const withEnvironment = (secrets: Secrets, env: Given['env']): Secrets => ({
  ...secrets,
  ...pick(env, Object.keys(secrets)),
})

export const pick = (env: Given['env'], names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name]]] : [])))

/**
 * What the Worker may connect to, for workerd: the internet, its engines, and what the operator allows. A name in
 * ALLOW_PRIVATE_HOSTS may have any private address, and the Worker itself still compares the name.
 */
export const reachableNetworks = (engineAddress: string, allowedHosts: string): string[] => {
  const hosts = allowedHosts.split(',').flatMap((entry) => entry.trim().replace(/:\d+$/, '') || [])
  const allowed = hosts.map((host) => {
    if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return `${host}/32`
    return host.startsWith('[') ? `${host.replace(/[[\]]/g, '')}/128` : 'private'
  })
  return ['public', `${engineAddress}/32`, ...new Set(allowed)]
}
