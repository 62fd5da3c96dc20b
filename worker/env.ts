import { defaultLimits, limitsOf } from '../domain/account-limits.ts'
import { utf8 } from '../domain/encoding.ts'
import type { Job } from '../domain/jobs/job.ts'
import { ENGINE_DISK_BYTES } from '../domain/limits.ts'
import { defaultPrices, ownPricesOf } from '../domain/money/prices.ts'
import type { OpenaiModels } from '../domain/openai-models.ts'
import { type AdminToken, FIRST_ADMIN, parseAdminTokens } from '../domain/secrets/admin-tokens.ts'
import { openSealer, type Sealer } from '../domain/secrets/sealing.ts'
import { containerSettings } from '../domain/settings/container-settings.ts'
import { readSetting, type ValueOf } from '../domain/settings/rules.ts'
import { workerSettings } from '../domain/settings/worker-settings.ts'
import type { Terms } from '../domain/terms.ts'
import { DAY_MS } from '../domain/time.ts'

/** Set with `wrangler secret put`, so wrangler.toml and its generated types do not name them. */
interface OptionalSecrets {
  SOURCE_PROXY_URL?: string
  SOURCE_PROXIES?: string
}

/** The validated environment. A missing or wrong value is a deployment error and throws. */
export const configOf = (env: Env & OptionalSecrets) => ({
  /** Where callers reach this Worker. Empty: it follows from each request. */
  publicUrl: publicUrlOf(env),
  /** Where containers reach this Worker. Empty: as callers do. */
  callbackUrl: withoutSlash(env.CALLBACK_URL ?? ''),
  /** The URLs of containers that run as plain processes (development, tests). Empty on Cloudflare. */
  engineUrls: engineUrlsOf(env),
  /** Engines that stay warm, and the most that are started. With `engineUrls`, all of them are used. */
  minEngines: read(env, 'MIN_ENGINES'),
  maxEngines: read(env, 'MAX_ENGINES'),
  /** The number of fleet objects. Each owns a part of the engines and of the accounts. */
  fleets: read(env, 'FLEETS'),
  /** Where fleets, engines and metrics are made. Empty: wherever their first caller is. The first is for new accounts. */
  regions: regionsOf(env),
  /** What steps may use of a container's disk. null: each container finds it out. */
  engineDiskBytes: read(env, 'ENGINE_DISK_BYTES'),
  engineToken: required(env, 'ENGINE_TOKEN'),
  /** Comma-separated `host:port` entries that are allowed although they are not public. */
  allowedHosts: env.ALLOW_PRIVATE_HOSTS ?? '',
  /** The container gets it: 'strict' or 'weak'. */
  sandbox: read(env, 'SANDBOX'),
  /** The container gets it. */
  ytDlpChannel: readSetting('YTDLP_CHANNEL', containerSettings.YTDLP_CHANNEL, env.YTDLP_CHANNEL),
  /** The container gets it. Empty: there is none. */
  potProviderUrl: readSetting('POT_PROVIDER_URL', containerSettings.POT_PROVIDER_URL, env.POT_PROVIDER_URL)?.href ?? '',
  /** The container gets them, with their passwords. */
  sourceProxies: { url: env.SOURCE_PROXY_URL ?? '', byHost: env.SOURCE_PROXIES ?? '' },
  /** The media bucket in R2's S3 API. The last path segment of the endpoint is the bucket name. */
  mediaS3: {
    endpoint: withoutSlash(required(env, 'MEDIA_S3_ENDPOINT')),
    accessKeyId: required(env, 'MEDIA_S3_ACCESS_KEY_ID'),
    secretAccessKey: required(env, 'MEDIA_S3_SECRET_ACCESS_KEY'),
  },
  /** Callers send uploads to the Worker's own host, whose server passes them on to the S3 API. */
  uploadsToPublicUrl: read(env, 'UPLOADS_TO_PUBLIC_URL') === 'yes',
  leaseMs: read(env, 'LEASE_MS'),
  /** How long a request waits for its transcript, and for how long of it nothing is sent. */
  transcriptionWaitMs: read(env, 'TRANSCRIPTION_WAIT_MS'),
  transcriptionSilenceMs: read(env, 'TRANSCRIPTION_SILENCE_MS'),
  /** Of a file in the body of a request. */
  maxFileBytes: read(env, 'MAX_BODY_BYTES'),
  /** The operator's names for models of the OpenAI API. */
  openaiModels: openaiModelsOf(env),
  /** How long a tool call of MCP waits for a job. */
  mcpWaitMs: read(env, 'MCP_WAIT_MS'),
  /** How long ended jobs are kept. The media of a job is found by its row, so the row stays as long. */
  historyMs: Math.max(read(env, 'JOB_HISTORY_DAYS'), read(env, 'RETENTION_DAYS')) * DAY_MS,
  terms: termsOf(env),
  /** Master keys for callers' secrets at rest, in the format of sealing.ts: the first key seals, all keys unseal. */
  sealKeys: required(env, 'SEAL_KEYS'),
  /** The share of completed jobs that has a log line. */
  jobLogSample: read(env, 'JOB_LOG_SAMPLE'),
  speech: {
    /** The engine that transcribes for the provider `builtin`. */
    builtin: builtinOf(env),
    /** The services behind the neutral provider names. */
    slots: {
      provider_a: read(env, 'PROVIDER_A'),
      provider_b: read(env, 'PROVIDER_B'),
      provider_c: read(env, 'PROVIDER_C'),
    },
    /** Empty: the service's default. */
    baseUrls: {
      openai: env.OPENAI_BASE_URL ?? '',
      deepgram: env.DEEPGRAM_BASE_URL ?? '',
      assemblyai: env.ASSEMBLYAI_BASE_URL ?? '',
    },
  },
})

export type Config = ReturnType<typeof configOf>

type Rows = typeof workerSettings

const read = <Name extends keyof Rows>(env: Env, name: Name): ValueOf<Rows[Name]> =>
  readSetting(name, workerSettings[name], env[name])

const terms = new Map<string, Terms>()

const models = new Map<string, OpenaiModels>()

const openaiModelsOf = (env: Env): OpenaiModels =>
  madeOnce(models, env.OPENAI_MODELS, () => read(env, 'OPENAI_MODELS') ?? {})

/** What the operator sets for all accounts. */
export const termsOf = (env: Env): Terms => {
  const given = [env.PRICES, env.DEFAULT_LIMITS, env.RETENTION_DAYS, env.MAX_MEDIA_HOURS]
  return madeOnce(terms, given.join('\n'), () => ({
    prices: { ...defaultPrices, ...ownPricesOf(read(env, 'PRICES') ?? {}) },
    limits: limitsOf(read(env, 'DEFAULT_LIMITS') ?? {}, defaultLimits),
    retentionDays: read(env, 'RETENTION_DAYS'),
    maxMediaSeconds: read(env, 'MAX_MEDIA_HOURS') * 3_600,
  }))
}

/** null: the deployment does not use Workers Analytics Engine. */
export const analyticsOf = (env: Env & { ANALYTICS?: AnalyticsEngineDataset }): AnalyticsEngineDataset | null =>
  env.ANALYTICS ?? null

/** null: the deployment has no such limit. */
export const refusedOperatorsOf = (env: Env & { REFUSED_OPERATORS?: RateLimit }): RateLimit | null =>
  env.REFUSED_OPERATORS ?? null

/** The first is for new accounts, and for what all accounts share. */
export const regionsOf = (env: Env) => read(env, 'REGION') ?? []

/** The default is Workers AI if the deployment has the binding, otherwise the engine in the container. */
const builtinOf = (env: Env): 'container' | 'workers-ai' => {
  const builtin = read(env, 'BUILTIN_SPEECH') ?? ('AI' in env ? 'workers-ai' : 'container')
  if (builtin === 'workers-ai' && !('AI' in env))
    throw new Error('BUILTIN_SPEECH is workers-ai, but there is no AI binding')
  return builtin
}

/** Empty: it follows from each request. */
export const publicUrlOf = (env: Env): string => withoutSlash(env.PUBLIC_URL ?? '')

/**
 * Containers that run elsewhere are not called back at the origin of a request: only Cloudflare routes requests by their
 * Host header, so that it is an address of this Worker.
 */
const engineUrlsOf = (env: Env): string[] => {
  const urls = (env.ENGINE_URLS ?? '').split(',').flatMap((url) => withoutSlash(url.trim()) || [])
  if (urls.length > 0 && !env.PUBLIC_URL && !env.CALLBACK_URL)
    throw new Error('ENGINE_URLS needs CALLBACK_URL or PUBLIC_URL, where these containers reach the Worker')
  return urls
}

/** Where the container of a job reports. null: no address of the Worker is known. */
export const callbackUrlOf = ({ callbackUrl, publicUrl }: Config, { origin }: Pick<Job, 'origin'>): string | null =>
  callbackUrl || publicUrl || origin

/** What the Worker expects of a container that it has not asked. */
export const expectedDiskBytes = ({ engineDiskBytes }: Pick<Config, 'engineDiskBytes'>): number =>
  engineDiskBytes ?? ENGINE_DISK_BYTES

const withoutSlash = (url: string): string => url.replace(/\/$/, '')

type TextName = { [Name in keyof Env]: Env[Name] extends string ? Name : never }[keyof Env]

const required = (env: Env, name: TextName): string => {
  if (!env[name]) throw new Error(`${name} is not set`)
  return env[name]
}

/**
 * Not a part of `configOf`: a mistake in the optional ADMIN_TOKENS must not stop imports. It stops the endpoints of
 * operators, whose first answer is then a logged fault.
 */
export const adminTokensOf = (env: Env & { ADMIN_TOKENS?: string }): AdminToken[] => [
  { name: FIRST_ADMIN, token: required(env, 'ADMIN_TOKEN') },
  ...parseAdminTokens(env.ADMIN_TOKENS ?? ''),
]

/** Makes a value for a key once. */
const madeOnce = <Value>(values: Map<string, Value>, key: string, make: () => Value): Value => {
  const value = values.get(key) ?? make()
  values.set(key, value)
  return value
}

const sealers = new Map<string, Promise<Sealer>>()

export const sealerOf = (env: Env): Promise<Sealer> => {
  const { sealKeys } = configOf(env)
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
