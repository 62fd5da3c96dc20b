import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Answer } from '../domain/calls.ts'
import { type Refusal, refusals } from '../domain/codes/refusals.ts'
import { type RateState, untouched, WINDOW_TEXT } from '../domain/limits.ts'
import type { Api } from './context.ts'

/** Every answer of the API is made here, so that there is one envelope and one place for headers. */
export const respond = (c: Context<Api>, data: unknown, status: ContentfulStatusCode = 200): Response =>
  c.json({ success: true, data }, status)

export const refuse = (c: Context<Api>, { code, message, facts }: Refusal): Response => {
  const { status } = refusals[code]
  if (status === 401) c.header('WWW-Authenticate', 'Bearer')
  if (typeof facts.retryAfter === 'number') c.header('Retry-After', `${facts.retryAfter}`)
  return c.json({ success: false, error: message, code, requestId: c.var.requestId, ...facts }, status)
}

/** Turns what the account answered into HTTP, and remembers the state of the window for the headers. */
export const answer = async <T>(
  c: Context<Api>,
  { rate, result }: Answer<T>,
  render: (value: T) => unknown,
  status: ContentfulStatusCode = 200,
): Promise<Response> => {
  c.set('rate', rate)
  return result.ok ? respond(c, await render(result.value), status) : refuse(c, result.refusal)
}

export const setStandardHeaders = (c: Context<Api>): void => {
  const { limit, remaining, reset }: RateState = c.var.rate ?? untouched(c.var.rateClass, Date.now())
  const headers = c.res.headers
  headers.set('X-Request-Id', c.var.requestId)
  headers.set('X-Api-Version', '1')
  headers.set('X-RateLimit-Limit', `${limit}`)
  headers.set('X-RateLimit-Remaining', `${remaining}`)
  headers.set('X-RateLimit-Reset', `${reset}`)
  headers.set('X-RateLimit-Window', WINDOW_TEXT)
}
