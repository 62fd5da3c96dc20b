import { tmpdir } from 'node:os'
import { Agent, type Dispatcher, fetch, Response } from 'undici'
import { SourceFailure } from '../source/failure.ts'
import { guardedConnector } from './connect.ts'
import { type Egress, type EgressInit, OutOfReach } from './egress.ts'
import { checkedUrl, Forbidden, type Guard } from './guard.ts'
import { metered } from './meter.ts'
import { startProxy } from './proxy.ts'

export interface EgressOptions {
  guard: Guard
  /** Ends everything that is still open. */
  signal?: AbortSignal
  /** The instance's own (socket-folder.ts); the system's temporary folder for whoever is none. */
  socketFolder?: string
  timeouts?: Partial<Timeouts>
}

export interface Timeouts {
  connectMs: number
  headersMs: number
  /** Between two pieces of a body. */
  idleMs: number
}

const usualTimeouts: Timeouts = { connectMs: 5_000, headersMs: 20_000, idleMs: 30_000 }
const maxRedirects = 5
const redirects = new Set([301, 302, 303, 307, 308])
const usualHeaders = {
  // A compressed body has no length worth announcing and no ranges.
  'accept-encoding': 'identity',
  'user-agent': 'Mozilla/5.0 (compatible; Haul/1.0)',
}

export const createEgress = async (options: EgressOptions): Promise<Egress> => {
  const { guard, signal, socketFolder = tmpdir(), timeouts } = options
  const { connectMs, headersMs, idleMs } = { ...usualTimeouts, ...timeouts }
  const received = { bytes: 0 }
  const count = (bytes: number) => {
    received.bytes += bytes
  }
  const agent = new Agent({
    connect: guardedConnector(guard, connectMs),
    // Parallel ranges want connections of their own, not streams of one.
    allowH2: false,
    headersTimeout: headersMs,
    bodyTimeout: idleMs,
  })
  const dispatcher = agent.compose(metered(count))
  const waits = { connectTimeoutMs: connectMs, idleTimeoutMs: idleMs }
  const proxy = await startProxy({ guard, dispatcher, count, socketFolder, ...waits })
  const close = async () => {
    signal?.removeEventListener('abort', close)
    await Promise.all([agent.destroy(), proxy.close()])
  }
  if (signal?.aborted) await close()
  signal?.addEventListener('abort', close, { once: true })
  return {
    fetch: (url, init = {}) => ask(dispatcher, url, { ...init, signal: either(signal, init.signal) }),
    proxySocket: proxy.socketPath,
    get receivedBytes() {
      return received.bytes
    },
    close,
  }
}

const either = (...signals: (AbortSignal | undefined)[]): AbortSignal =>
  AbortSignal.any(signals.filter((signal) => signal !== undefined))

type Ask = EgressInit & { signal: AbortSignal }

const ask = async (dispatcher: Dispatcher, url: string, init: Ask): Promise<Response> => {
  try {
    return await follow(dispatcher, checkedUrl(url), init)
  } catch (cause) {
    init.signal.throwIfAborted()
    throw isForbidden(cause) ? new OutOfReach(cause) : new SourceFailure('SOURCE_UNREACHABLE', undefined, { cause })
  }
}

/** What the guard says while a connection is made, undici's fetch wraps into an error of its own. */
const isForbidden = (error: unknown): boolean =>
  error instanceof Forbidden || (error instanceof Error && isForbidden(error.cause))

const follow = async (dispatcher: Dispatcher, url: URL, init: Ask, left = maxRedirects): Promise<Response> => {
  const { method = 'GET', signal } = init
  const headers = { ...usualHeaders, ...lowerCased(init.headers) }
  const response = await fetch(url, { dispatcher, method, signal, headers, redirect: 'manual' })
  const location = redirects.has(response.status) ? response.headers.get('location') : null
  if (location === null) return await readable(dispatcher, url, init, response)
  await response.body?.cancel()
  if (left === 0) throw new Error('too many redirects')
  const target = checkedUrl(location, url)
  const next = target.origin === url.origin ? init : { ...init, headers: withoutSecrets(headers) }
  return await follow(dispatcher, target, next, left - 1)
}

/** Some origins compress although they were asked not to. The body is decoded then, and its length unknown. */
const readable = async (dispatcher: Dispatcher, url: URL, init: Ask, response: Response): Promise<Response> => {
  const encoding = response.headers.get('content-encoding')
  if (!encoding || encoding === 'identity') return response
  const { range, ...headers } = lowerCased(init.headers)
  if (response.status === 206 && range) {
    // A range of compressed bytes is of no use to anybody.
    await response.body?.cancel()
    return await follow(dispatcher, url, { ...init, headers }, 0)
  }
  const { status, statusText } = response
  const decoded = new Response(response.body, { status, statusText, headers: response.headers })
  for (const name of ['content-encoding', 'content-length', 'accept-ranges']) decoded.headers.delete(name)
  return Object.defineProperty(decoded, 'url', { value: response.url })
}

const lowerCased = (headers: Record<string, string> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** What one origin was told in confidence is not for another. */
const withoutSecrets = ({ cookie, authorization, ...rest }: Record<string, string>): Record<string, string> => rest
