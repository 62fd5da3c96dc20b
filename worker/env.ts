import { defaultLimits, limitsOf } from '../domain/account/account-limits.ts'
import type { Region } from '../domain/account/regions.ts'
import type { Terms } from '../domain/account/terms.ts'
import { utf8 } from '../domain/encoding.ts'
import type { Job } from '../domain/jobs/job.ts'
import { ENGINE_DISK_BYTES } from '../domain/limits.ts'
import { defaultPrices, ownPricesOf } from '../domain/money/prices.ts'
import { type AdminToken, FIRST_ADMIN, parseAdminTokens } from '../domain/secrets/admin-tokens.ts'
import { openSealer, type Sealer } from '../domain/secrets/sealing.ts'
import { type NamesOf, passedOn, readOpenly, type SecretName } from '../domain/settings/settings.ts'
import { DAY_MS } from '../domain/time.ts'

type Variable = Exclude<NamesOf<'worker'>, keyof __BaseEnv_Env>

declare global {
  /** wrangler.toml, from which wrangler writes the types, names only what is always set. */
  interface Env extends Partial<Record<Variable, string | undefined>> {
    ANALYTICS?: AnalyticsEngineDataset
  }
  namespace Cloudflare {
    interface Env extends Partial<Record<Variable, string | undefined>> {}
  }
}

const madeOnce = <Key, Value>(
  values: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value => {
  const value = values.get(key) ?? make()
  values.set(key, value)
  return value
}

/** The Worker and its objects get the same `env` for as long as they live. */
const perEnv = <Value>(make: (env: Env) => Value): ((env: Env) => Value) => {
  const made = new WeakMap<Env, Value>()
  return (env) => madeOnce(made, env, () => make(env))
}

/** Without secrets, which the documentation does not need. */
const settingsOf = perEnv((env) => readOpenly('worker', env))

const readConfig = (env: Env) => {
  const settings = settingsOf(env)
  const { PROVIDER_A, PROVIDER_B, PROVIDER_C, OPENAI_BASE_URL, DEEPGRAM_BASE_URL, ASSEMBLYAI_BASE_URL } = settings
  return {
    ...settings,
    /** The URLs of containers that run as plain processes. Empty on Cloudflare. */
    engineUrls: engineUrlsOf(settings),
    engineToken: required(env, 'ENGINE_TOKEN'),
    regions: regionsOf(env),
    openaiModels: settings.OPENAI_MODELS ?? {},
    /** Of a Cloudflare container, with the passwords of proxies. */
    containerEnv: passedOn('worker', 'container', env),
    sourceProxies: { url: env.SOURCE_PROXY_URL, byHost: env.SOURCE_PROXIES },
    /** The last path segment of the endpoint is the bucket name. */
    mediaS3: {
      endpoint: settings.MEDIA_S3_ENDPOINT ?? missing('MEDIA_S3_ENDPOINT'),
      accessKeyId: required(env, 'MEDIA_S3_ACCESS_KEY_ID'),
      secretAccessKey: required(env, 'MEDIA_S3_SECRET_ACCESS_KEY'),
    },
    /** How long ended jobs are kept. The media of a job is found by its row, so the row stays as long. */
    historyMs: Math.max(settings.JOB_HISTORY_DAYS, settings.RETENTION_DAYS) * DAY_MS,
    terms: termsOf(env),
    speech: {
      builtin: builtinOf(env, settings.BUILTIN_SPEECH),
      slots: { provider_a: PROVIDER_A, provider_b: PROVIDER_B, provider_c: PROVIDER_C },
      /** Empty: the service's default. */
      baseUrls: {
        openai: OPENAI_BASE_URL ?? '',
        deepgram: DEEPGRAM_BASE_URL ?? '',
        assemblyai: ASSEMBLYAI_BASE_URL ?? '',
      },
    },
  }
}

export type Config = ReturnType<typeof readConfig>

/** A missing or wrong value is a deployment error and throws. */
export const configOf: (env: Env) => Config = perEnv(readConfig)

export const termsOf = perEnv((env): Terms => {
  const { PRICES, DEFAULT_LIMITS, RETENTION_DAYS, MAX_MEDIA_HOURS } = settingsOf(env)
  return {
    prices: { ...defaultPrices, ...ownPricesOf(PRICES ?? {}) },
    limits: limitsOf(DEFAULT_LIMITS ?? {}, defaultLimits),
    retentionDays: RETENTION_DAYS,
    maxMediaSeconds: MAX_MEDIA_HOURS * 3_600,
  }
})

/** Where fleets, engines and metrics are made. Empty: wherever their first caller is. The first is for new accounts. */
export const regionsOf = (env: Env): Region[] => settingsOf(env).REGION ?? []

/** Where callers reach this Worker. Empty: it follows from each request. */
export const publicUrlOf = (env: Env): string => settingsOf(env).PUBLIC_URL ?? ''

/** The default is Workers AI if the deployment has the binding, otherwise the engine in the container. */
const builtinOf = (env: Env, set: 'container' | 'workers-ai' | null): 'container' | 'workers-ai' => {
  const builtin = set ?? ('AI' in env ? 'workers-ai' : 'container')
  if (builtin === 'workers-ai' && !('AI' in env))
    throw new Error('BUILTIN_SPEECH is workers-ai, but there is no AI binding')
  return builtin
}

/** Only Cloudflare routes requests by their Host header, so containers elsewhere need the Worker's address. */
const engineUrlsOf = ({ ENGINE_URLS, PUBLIC_URL, CALLBACK_URL }: ReturnType<typeof settingsOf>): string[] => {
  if (ENGINE_URLS && !PUBLIC_URL && !CALLBACK_URL)
    throw new Error('ENGINE_URLS needs CALLBACK_URL or PUBLIC_URL, where these containers reach the Worker')
  return ENGINE_URLS ?? []
}

/** null: no address of the Worker is known. */
export const callbackUrlOf = ({ CALLBACK_URL, PUBLIC_URL }: Config, { origin }: Pick<Job, 'origin'>): string | null =>
  CALLBACK_URL ?? PUBLIC_URL ?? origin

export const expectedDiskBytes = (config: Pick<Config, 'ENGINE_DISK_BYTES'>): number =>
  config.ENGINE_DISK_BYTES ?? ENGINE_DISK_BYTES

const required = (env: Env, name: Extract<NamesOf<'worker'>, SecretName>): string => env[name] || missing(name)

const missing = (name: string): never => {
  throw new Error(`${name} is not set`)
}

/** Not a part of `configOf`: a mistake in the optional ADMIN_TOKENS must not stop imports. */
export const adminTokensOf = (env: Env): AdminToken[] => [
  { name: FIRST_ADMIN, token: required(env, 'ADMIN_TOKEN') },
  ...parseAdminTokens(env.ADMIN_TOKENS ?? ''),
]

const sealers = new Map<string, Promise<Sealer>>()

export const sealerOf = (env: Env): Promise<Sealer> => {
  const sealKeys = required(env, 'SEAL_KEYS')
  return madeOnce(sealers, sealKeys, () => openSealer(sealKeys))
}

/** Each purpose has its own key, derived from HAUL_SECRET, so a signature for one purpose is invalid for another. */
export type Purpose = 'api-keys' | 'media-links' | 'leases' | 'object-keys' | 'webhook-secrets'

const derived = new Map<string, Promise<CryptoKey>>()

export const signingKey = (env: Env, purpose: Purpose): Promise<CryptoKey> => {
  const secret = required(env, 'HAUL_SECRET')
  return madeOnce(derived, `${purpose} ${secret}`, () => derive(secret, purpose))
}

const derive = async (secret: string, purpose: Purpose): Promise<CryptoKey> => {
  const root = await crypto.subtle.importKey('raw', utf8(secret), 'HKDF', false, ['deriveKey'])
  return crypto.subtle.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: utf8(`haul ${purpose}`) },
    root,
    { name: 'HMAC', hash: 'SHA-256', length: 256 },
    false,
    ['sign', 'verify'],
  )
}
