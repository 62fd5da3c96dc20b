import { LEASE_MS } from './domain/limits.ts'
import { openSealer, type Sealer } from './domain/secrets/sealing.ts'

/** The environment, checked once and without optionals. A missing value is a fault of the deployment. */
export interface Config {
  /** Where callers and the container reach this Worker: links and callbacks start with it. */
  publicUrl: string
  /** Set where the container is a plain process (development, tests); null on Cloudflare. */
  engineUrl: string | null
  engineToken: string
  adminToken: string
  /** `host:port` that the guard lets through although it is not public. */
  allowedHosts: string
  /** The media bucket in R2's S3 API, with the bucket's name as the last part of the path. */
  mediaS3: { endpoint: string; accessKeyId: string; secretAccessKey: string }
  leaseMs: number
  /** Master keys for callers' secrets at rest, as sealing.ts reads them: the first seals, all open. */
  sealKeys: string
  speech: SpeechConfig
}

/** Which services stand behind the neutral names, and where. An empty address is the service's own. */
export interface SpeechConfig {
  /** Who makes words where the caller asks for `builtin`. */
  builtin: 'container' | 'workers-ai'
  slots: Record<'provider_a' | 'provider_b' | 'provider_c', string>
  baseUrls: Record<'openai' | 'deepgram' | 'assemblyai', string>
}

export const configOf = (env: Env): Config => ({
  publicUrl: required(env, 'PUBLIC_URL').replace(/\/$/, ''),
  engineUrl: env.ENGINE_URL?.replace(/\/$/, '') || null,
  engineToken: required(env, 'ENGINE_TOKEN'),
  adminToken: required(env, 'ADMIN_TOKEN'),
  allowedHosts: env.ALLOW_PRIVATE_HOSTS ?? '',
  mediaS3: {
    endpoint: required(env, 'MEDIA_S3_ENDPOINT').replace(/\/$/, ''),
    accessKeyId: required(env, 'MEDIA_S3_ACCESS_KEY_ID'),
    secretAccessKey: required(env, 'MEDIA_S3_SECRET_ACCESS_KEY'),
  },
  leaseMs: Number(env.LEASE_MS) || LEASE_MS,
  sealKeys: required(env, 'SEAL_KEYS'),
  speech: {
    builtin: builtinOf(env),
    slots: {
      provider_a: env.PROVIDER_A || 'openai',
      provider_b: env.PROVIDER_B || 'deepgram',
      provider_c: env.PROVIDER_C || 'assemblyai',
    },
    baseUrls: {
      openai: env.OPENAI_BASE_URL ?? '',
      deepgram: env.DEEPGRAM_BASE_URL ?? '',
      assemblyai: env.ASSEMBLYAI_BASE_URL ?? '',
    },
  },
})

/** Cloudflare's own machines where the deployment binds them, the container's engine everywhere else. */
const builtinOf = (env: Env): SpeechConfig['builtin'] => {
  const wanted = env.BUILTIN_SPEECH || ('AI' in env ? 'workers-ai' : 'container')
  if (wanted !== 'workers-ai' && wanted !== 'container') throw new Error(`BUILTIN_SPEECH can't be ${wanted}`)
  if (wanted === 'workers-ai' && !('AI' in env)) throw new Error('BUILTIN_SPEECH is workers-ai without an AI binding')
  return wanted
}

type TextName = { [Name in keyof Env]: Env[Name] extends string ? Name : never }[keyof Env]

const required = (env: Env, name: TextName): string => {
  if (!env[name]) throw new Error(`${name} is not set`)
  return env[name]
}

const sealers = new Map<string, Promise<Sealer>>()

export const sealerOf = (env: Env): Promise<Sealer> => {
  const { sealKeys } = configOf(env)
  const known = sealers.get(sealKeys)
  if (known) return known
  const sealer = openSealer(sealKeys)
  sealers.set(sealKeys, sealer)
  return sealer
}

/** What each derived key may be used for. One secret is kept; a key for one purpose is no good for another. */
export type Purpose = 'api-keys' | 'media-links' | 'leases' | 'webhook-secrets'

const derived = new Map<string, Promise<CryptoKey>>()

export const signingKey = (env: Env, purpose: Purpose): Promise<CryptoKey> => {
  const secret = required(env, 'HAUL_SECRET')
  const known = derived.get(`${purpose} ${secret}`)
  if (known) return known
  const key = derive(secret, purpose)
  derived.set(`${purpose} ${secret}`, key)
  return key
}

const derive = async (secret: string, purpose: Purpose): Promise<CryptoKey> => {
  const encoder = new TextEncoder()
  const root = await crypto.subtle.importKey('raw', encoder.encode(secret), 'HKDF', false, ['deriveKey'])
  return crypto.subtle.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: encoder.encode(`haul ${purpose}`) },
    root,
    { name: 'HMAC', hash: 'SHA-256', length: 256 },
    false,
    ['sign', 'verify'],
  )
}
