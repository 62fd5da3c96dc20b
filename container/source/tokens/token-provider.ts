import { Agent, request } from 'undici'
import type { RequestToken } from '../../egress/proxy.ts'
import type { Log } from '../../log.ts'
import { readAtMost } from '../../sandbox/lines.ts'
import { inReader } from '../../sandbox/reader.ts'

export type TokenProvider = ReturnType<typeof createTokenProvider>

interface TokenProviderOptions {
  url: URL
  log: Log
  /** The first token after the provider's start takes it several seconds. yt-dlp waits a little longer (tokens.py). */
  timeoutMs?: number
  /** How long no token is requested of a provider that has not answered, so that it costs few jobs any time. */
  pauseMs?: number
}

const PING_TIMEOUT_MS = 2_000
/** A token has some hundred characters. */
const MAX_ANSWER_BYTES = 16 * 1024

/** The provider has answered, but not with a token. It says why in its own log. */
class Refused extends Error {}

const tokenRequestReader = inReader<typeof import('./token-request.ts')>(new URL('./token-request.ts', import.meta.url))

/**
 * The operator's provider of proof-of-origin tokens (POT_PROVIDER_URL), which speaks the HTTP API of
 * `bgutil-ytdlp-pot-provider`. A job never depends on it: without a token yt-dlp goes on as it does without a provider.
 */
export const createTokenProvider = ({ url, log, timeoutMs = 10_000, pauseMs = 60_000 }: TokenProviderOptions) => {
  const agent = new Agent()
  const base = url.href.replace(/\/?$/, '/')
  let pausedUntil = Number.NEGATIVE_INFINITY

  const send = async (path: string, body: string | null, signal: AbortSignal): Promise<Uint8Array> => {
    const method = body === null ? 'GET' : 'POST'
    const headers = body === null ? {} : { 'content-type': 'application/json' }
    const response = await request(new URL(path, base), { dispatcher: agent, method, headers, body, signal })
    const answer = await readAtMost(response.body, MAX_ANSWER_BYTES)
    if (!answer) throw new Refused('too long an answer')
    if (response.statusCode !== 200) throw new Refused(`status ${response.statusCode}`)
    return answer
  }

  const requestToken: RequestToken = async (asked, signal) => {
    if (performance.now() < pausedUntil) throw new Error('the token provider has just failed')
    // The fork has read an untrusted page.
    const body = await tokenRequestReader('readTokenRequest', [asked], signal)
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      return await send('get_pot', body, AbortSignal.any([signal, timeout]))
    } catch (error) {
      signal.throwIfAborted()
      log('token provider failed', { reason: reasonOf(error, timeout) })
      // A refusal may be due to what this one job has asked for.
      if (!(error instanceof Refused)) pausedUntil = performance.now() + pauseMs
      throw error
    }
  }

  /** Of GET /health: true, or a sentence that describes what is wrong. */
  const health = async (): Promise<true | string> => {
    const timeout = AbortSignal.timeout(PING_TIMEOUT_MS)
    try {
      await send('ping', null, timeout)
      return true
    } catch (error) {
      return `the token provider does not answer (${reasonOf(error, timeout)})`
    }
  }

  return { requestToken, health, close: () => agent.destroy() }
}

const reasonOf = (error: unknown, timeout: AbortSignal): string => {
  if (timeout.aborted) return 'no answer in time'
  const { code, message } = error as NodeJS.ErrnoException
  return code ?? message
}
