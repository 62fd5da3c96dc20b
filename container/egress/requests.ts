import { type BodyInit, type Dispatcher, fetch, Response } from 'undici'
import { causeOf, SourceFailure } from '../failures.ts'
import { checkedUrl, Forbidden } from './guard.ts'
import { SourceProxyFailed } from './tunnel.ts'

export interface RequestInit {
  method?: 'GET' | 'HEAD'
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** The guard has refused the URL or its address, so a retry cannot succeed. */
export class ForbiddenDestination extends SourceFailure {
  constructor(cause: unknown) {
    super('SOURCE_UNREACHABLE', undefined, { cause })
  }
}

const maxRedirects = 5
const redirectStatuses = new Set([301, 302, 303, 307, 308])
const defaultHeaders = {
  // A compressed body has neither a useful length nor ranges.
  'accept-encoding': 'identity',
  'user-agent': 'Mozilla/5.0 (compatible; Haul/1.0)',
}

type CheckedInit = RequestInit & { signal: AbortSignal }

export interface Sender {
  dispatcher: Dispatcher
  /** Throws Forbidden. Only needed where the dispatcher does not say why it made no connection. */
  check?: (url: URL) => Promise<void>
}

export const fetchChecked = async (sender: Sender, url: string, init: CheckedInit): Promise<Response> => {
  try {
    return await fetchFollowing(sender, checkedUrl(url), init)
  } catch (cause) {
    init.signal.throwIfAborted()
    if (causeOf(cause, Forbidden)) throw new ForbiddenDestination(cause)
    const proxyFailure = causeOf(cause, SourceProxyFailed)
    if (proxyFailure) throw proxyFailure
    throw new SourceFailure('SOURCE_UNREACHABLE', undefined, { cause })
  }
}

const fetchFollowing = async (
  sender: Sender,
  url: URL,
  init: CheckedInit,
  redirectsLeft = maxRedirects,
): Promise<Response> => {
  const { method = 'GET', signal } = init
  const headers = { ...defaultHeaders, ...withLowerCaseNames(init.headers) }
  await sender.check?.(url)
  const response = await fetch(url, { dispatcher: sender.dispatcher, method, signal, headers, redirect: 'manual' })
  const location = redirectStatuses.has(response.status) ? response.headers.get('location') : null
  if (location === null) return await withDecodedBody(sender, url, init, response)
  await response.body?.cancel()
  if (redirectsLeft === 0) throw new Error('too many redirects')
  const target = checkedUrl(location, url)
  const next = target.origin === url.origin ? init : { ...init, headers: withoutCredentials(headers) }
  return await fetchFollowing(sender, target, next, redirectsLeft - 1)
}

/** Some origins compress despite `Accept-Encoding: identity`. fetch decodes the body, so its length is unknown. */
const withDecodedBody = async (sender: Sender, url: URL, init: CheckedInit, response: Response): Promise<Response> => {
  const encoding = response.headers.get('content-encoding')
  // Some origins send `Content-Encoding: identity`.
  if (!encoding || encoding === 'identity') return response
  const { range, ...headers } = withLowerCaseNames(init.headers)
  if (response.status === 206 && range) {
    // A range of compressed bytes cannot be decoded, so the whole file is requested.
    await response.body?.cancel()
    return await fetchFollowing(sender, url, { ...init, headers }, 0)
  }
  const decoded = withBody(response, response.body)
  for (const name of ['content-encoding', 'content-length', 'accept-ranges']) decoded.headers.delete(name)
  return decoded
}

const withBody = ({ status, statusText, headers, url }: Response, body: BodyInit | null): Response =>
  Object.defineProperty(new Response(body, { status, statusText, headers }), 'url', { value: url })

type Chunk = { done: true } | { done: false; value: Uint8Array }

/** The body is read only when its reader asks for more. An error of `read` ends the body and its connection. */
export const withBodyOnDemand = (
  response: Response,
  read: (next: () => Promise<Chunk>) => Promise<Chunk>,
): Response => {
  const reader = response.body?.getReader()
  if (!reader) return response
  const next = () => reader.read() as Promise<Chunk>
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const chunk = await read(next)
          if (chunk.done) controller.close()
          else controller.enqueue(chunk.value)
        } catch (error) {
          await reader.cancel(error).catch(() => {})
          throw error
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
  return withBody(response, body)
}

const withLowerCaseNames = (headers: Record<string, string> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** A redirect to another origin must not receive the first origin's credentials. */
const withoutCredentials = ({ cookie, authorization, ...rest }: Record<string, string>): Record<string, string> => rest
