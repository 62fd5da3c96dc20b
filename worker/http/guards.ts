import { z } from '@hono/zod-openapi'
import type { Context, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { auth as basicAuth } from 'hono/utils/basic-auth'
import type { RateClass } from '../../domain/account/account-limits.ts'
import type { Need } from '../../domain/account/keys.ts'
import { refusal } from '../../domain/codes/refusals.ts'
import { MAX_JSON_BYTES } from '../../domain/limits.ts'
import { networkOf } from '../../domain/network/addresses.ts'
import { RecentValues } from '../../domain/recent-values.ts'
import { type ParsedKey, parseKey, sameText, sha256Hex } from '../../domain/secrets/api-keys.ts'
import { adminTokensOf, signingKey } from '../env.ts'
import { logEvent } from '../log.ts'
import { isOpenaiPath } from './openai/errors.ts'
import { foreignOrigin, type HttpEnv } from './request-context.ts'
import { isWhisperAsrPath, refuse, refuseCounted } from './respond.ts'
import { invalidField } from './validation-messages.ts'

/** A check that runs before the validators and the handler of a route, and what the OpenAPI document states about it. */
export interface Guard {
  middleware: MiddlewareHandler<HttpEnv> | MiddlewareHandler<HttpEnv>[]
  security?: 'apiKey' | 'adminToken'
  fromPages?: boolean
  /** The key needs one of them. */
  needs?: Need[]
  headers?: z.ZodObject
  statuses: number[]
  /** What the document says of a status, if it is not the same for all guards. */
  descriptions?: Record<number, string>
}

/**
 * Requires an API key with one of these scopes, or a full key. With `any`, every key will do. Requests count against the rate
 * limit of the class. Pages may send them with a key that names their origin, unless the guard is wrapped in `notFromPages`.
 */
export const apiKey = (rateClass: RateClass, ...needed: [Need, ...Need[]] | ['any']): Guard => {
  const needs = needed.filter((need) => need !== 'any')
  return {
    middleware: async (c, next) => {
      // Set before the key is checked, so that the X-RateLimit headers of a 401 show the endpoint's class.
      c.set('rateClass', rateClass)
      c.set('needs', needs)
      if (!(await identifyCaller(c))) return refuse(c, refusal('UNAUTHORIZED'))
      await next()
    },
    security: 'apiKey',
    fromPages: true,
    needs,
    statuses: [401, 403, 429, 503],
  }
}

/** Pages of other origins cannot call this: a key from a page must not reach the account's secrets. */
export const notFromPages = (guard: Guard): Guard => ({ ...guard, fromPages: false })

/** Sets the caller if the key's checksum is valid, without a storage access. The account then checks whether the key is live. */
export const identifyCaller = async (c: Context<HttpEnv>): Promise<boolean> => {
  const token = bearerToken(c) ?? passwordOf(c)
  const parsed = token ? await verifiedKey(c.env, token) : null
  if (!parsed) return false
  c.set('caller', { accountId: parsed.accountId, keyHash: parsed.hash })
  return true
}

/** Keys with a verified checksum, so that polling does not verify it each time. */
const recentKeys = new RecentValues<string, ParsedKey>(10_000)

const verifiedKey = async (env: Env, token: string): Promise<ParsedKey | null> => {
  const recent = recentKeys.get(token)
  if (recent) return recent
  const parsed = await parseKey(await signingKey(env, 'api-keys'), token)
  if (parsed) recentKeys.set(token, parsed)
  return parsed
}

/** RFC 6750: the scheme is case-insensitive, followed by exactly one token. */
const bearerToken = (c: Context<HttpEnv>): string | null =>
  /^Bearer +([\x21-\x7e]+) *$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? null

/** Programs that know only a base URL send a key as its password. Browsers resend passwords, so foreign pages cannot use one. */
const passwordOf = (c: Context<HttpEnv>): string | undefined => {
  const { path } = c.req
  const isKnown = isOpenaiPath(path) || isWhisperAsrPath(path)
  return isKnown && foreignOrigin(c) === null ? basicAuth(c.req.raw)?.password : undefined
}

const ADMIN_TOKEN_REQUIRED = 'A valid operator token is required: Authorization: Bearer <ADMIN_TOKEN>.'

const TOO_MANY_REFUSED = 'Too many requests without a valid operator token came from this address.'
/** The longest period of a limit at Cloudflare, and so of REFUSED_OPERATORS in wrangler.toml. */
const REFUSED_PERIOD_SECONDS = 60

/** Requires an operator's token, and logs who changes what. Refused attempts are logged too, until an address makes too many. */
export const adminToken: Guard = {
  middleware: async (c, next) => {
    const admin = await adminOf(c)
    if (admin === null && !(await mayBeRefusedAgain(c))) {
      return refuse(c, refusal('RATE_LIMITED', { retryAfter: REFUSED_PERIOD_SECONDS }, TOO_MANY_REFUSED))
    }
    const refused = admin === null ? refuse(c, refusal('UNAUTHORIZED', {}, ADMIN_TOKEN_REQUIRED)) : undefined
    if (!refused) await next()
    const { method, path } = c.req
    if (method !== 'GET' && method !== 'HEAD') {
      const { status } = refused ?? c.res
      logEvent('admin', { admin, requestId: c.get('requestId'), method, path, status, changes: c.get('changes') })
    }
    return refused
  },
  security: 'adminToken',
  statuses: [401, 429, 503],
  descriptions: { 429: TOO_MANY_REFUSED },
}

/** The name of the token. All hashes are compared, so that the timing reveals no length, no prefix and no name. */
const adminOf = async (c: Context<HttpEnv>): Promise<string | null> => {
  const given = await sha256Hex(bearerToken(c) ?? '')
  let admin: string | null = null
  for (const { name, token } of adminTokensOf(c.env)) if (sameText(given, await sha256Hex(token))) admin = name
  return admin
}

/** Counts a request that is refused. Callers whose address is not known are not limited. */
const mayBeRefusedAgain = async (c: Context<HttpEnv>): Promise<boolean> => {
  const address = c.req.header('cf-connecting-ip')
  // wrangler.toml may have no such limit.
  const limit: RateLimit | undefined = c.env.REFUSED_OPERATORS
  return !limit || !address || (await limit.limit({ key: networkOf(address) })).success
}

const requireJson: MiddlewareHandler<HttpEnv> = async (c, next) => {
  const type = c.req.header('content-type') ?? ''
  const encoding = c.req.header('content-encoding') ?? ''
  if (!/^application\/(?:[\w.-]+\+)?json *(?:;|$)/i.test(type)) {
    return refuseCounted(c, refusal('UNSUPPORTED_MEDIA_TYPE'))
  }
  // Some clients send `Content-Encoding: identity`.
  if (!['', 'identity'].includes(encoding.trim().toLowerCase())) {
    // RFC 9110, 15.5.16: this header shows that the encoding caused the 415, and which one is accepted.
    c.header('Accept-Encoding', 'identity')
    return refuseCounted(c, refusal('UNSUPPORTED_MEDIA_TYPE', {}, 'Send the body without a Content-Encoding.'))
  }
  await next()
}

const limitSize = (maxSize: number, tooLarge: string) =>
  bodyLimit({
    maxSize,
    onError: (c) => refuseCounted(c as Context<HttpEnv>, refusal('BODY_TOO_LARGE', {}, `The request ${tooLarge}`)),
  }) as MiddlewareHandler<HttpEnv>

const parseJson: MiddlewareHandler<HttpEnv> = async (c, next) => {
  const text = await c.req.text()
  try {
    JSON.parse(text)
  } catch {
    return refuseCounted(c, refusal('INVALID_JSON'))
  }
  // RFC 6839: every +json type is JSON. The validators accept fewer of them.
  const headers = new Headers(c.req.raw.headers)
  headers.set('content-type', 'application/json')
  c.req.raw = new Request(c.req.raw, { body: text, headers })
  await next()
}

const MIB = 1024 * 1024

export const jsonBodyUpTo = (maxBytes: number): Guard => {
  const tooLarge = `body is larger than ${maxBytes >= MIB ? `${maxBytes / MIB} MiB` : `${maxBytes / 1024} KiB`}.`
  return {
    middleware: [requireJson, limitSize(maxBytes, tooLarge), parseJson],
    statuses: [400, 413, 415],
    descriptions: { 413: `The ${tooLarge}` },
  }
}

export const jsonBody = jsonBodyUpTo(MAX_JSON_BYTES)

/** Whether a request starts imports or transcriptions, if that depends on its body. This guard comes after `jsonBody`. */
export const startByBody = (startOf: (body: unknown) => 'import' | 'transcribe'): Guard => ({
  middleware: async (c, next) => {
    const start = startOf(await c.req.json())
    c.set('rateClass', start)
    c.set('needs', [start])
    await next()
  },
  statuses: [],
})

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

/** Accepts an Idempotency-Key. The fingerprint covers the body, so this guard comes after `jsonBody`. */
export const idempotencyKey: Guard = {
  middleware: async (c, next) => {
    const key = c.req.header('idempotency-key')
    if (key !== undefined && !IDEMPOTENCY_KEY.test(key)) {
      return refuseCounted(c, invalidField('Idempotency-Key', 'must have 1 to 255 visible ASCII characters'))
    }
    const fingerprint = async () => sha256Hex(`${c.req.method} ${c.req.path}\n${await c.req.text()}`)
    c.set('idempotency', key === undefined ? null : { key, fingerprint: await fingerprint() })
    await next()
  },
  headers: z.object({ 'idempotency-key': z.string().regex(IDEMPOTENCY_KEY).optional() }),
  statuses: [400, 409, 422],
}
