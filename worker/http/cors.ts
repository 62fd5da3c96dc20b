import type { Context, Handler } from 'hono'
import { RecentValues } from '../../domain/recent-values.ts'
import { MINUTE_MS } from '../../domain/time.ts'
import { isNamedOrigin } from '../directory.ts'
import { foreignOrigin, type HttpEnv } from './request-context.ts'

/**
 * A page may read the response to a request with a key that names its origin. Before a browser sends such a request, it asks
 * without the key whether it may: see `answerPreflight`.
 */

const ALLOWED_METHODS = 'GET, POST, DELETE'
/** OpenAI's package sends User-Agent and X-Stainless headers. Browsers send a request only if all its headers are allowed. */
const ALLOWED_HEADERS = [
  ...['Authorization', 'Content-Type', 'Idempotency-Key', 'Last-Event-ID', 'User-Agent'],
  ...['X-Stainless-Lang', 'X-Stainless-Package-Version', 'X-Stainless-OS', 'X-Stainless-Arch', 'X-Stainless-Runtime'],
  ...['X-Stainless-Runtime-Version', 'X-Stainless-Retry-Count', 'X-Stainless-Timeout'],
].join(', ')

const EXPOSED_HEADERS = [
  ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-RateLimit-Window'],
  ...['X-Request-Id', 'X-Api-Version', 'X-Haul-Job-Id', 'Retry-After', 'Content-Disposition'],
].join(', ')

/** How long browsers and isolates remember that a key names an origin. */
const REMEMBERED_MS = MINUTE_MS

/** Until when. Origins that no key names are looked up again, so that a new key works at once. */
const named = new RecentValues<string, number>(1_000)

const isNamed = async (db: D1Database, origin: string): Promise<boolean> => {
  if ((named.get(origin) ?? 0) > Date.now()) return true
  if (!(await isNamedOrigin(db, origin))) return false
  named.set(origin, Date.now() + REMEMBERED_MS)
  return true
}

/** The answer to `OPTIONS`. An origin that no key names gets no permission, and no reason. */
export const answerPreflight: Handler<HttpEnv> = async (c) => {
  c.header('Vary', 'Origin')
  const origin = c.req.header('origin')
  if (origin !== undefined && (await isNamed(c.env.DB, origin))) {
    c.header('Access-Control-Allow-Origin', origin)
    c.header('Access-Control-Allow-Methods', ALLOWED_METHODS)
    c.header('Access-Control-Allow-Headers', ALLOWED_HEADERS)
    c.header('Access-Control-Max-Age', `${REMEMBERED_MS / 1_000}`)
  }
  return c.body(null, 204)
}

/** Lets the page that the key names read the response. Other responses have no such header. */
export const allowPage = (c: Context<HttpEnv>, headers: Headers): void => {
  if (!c.get('fromPages') || foreignOrigin(c) === null) return
  headers.append('Vary', 'Origin')
  const origin = c.get('allowedOrigin')
  if (origin === undefined) return
  headers.set('Access-Control-Allow-Origin', origin)
  headers.set('Access-Control-Expose-Headers', EXPOSED_HEADERS)
}
