import { type FailureCode, failures } from '../../domain/codes/failures.ts'
import { concatenated, toHex } from '../../domain/encoding.ts'
import { retryAfterMs } from '../../domain/retry.ts'
import type { PollFailure } from '../account/watches/poll-failures.ts'
import type { PollTask } from '../account/watches/polls.ts'
import { Forbidden, fetchFollowing, type Outbound } from '../outbound.ts'

/** `read`: an engine has to read it, because it has changed, is too large to be compared, or is refused to a Worker. */
export type FeedAnswer =
  | { kind: 'unchanged'; etag?: string | null; lastModified?: string | null }
  | { kind: 'read' }
  | ({ kind: 'failed' } & PollFailure)

const TIMEOUT_MS = 15_000
/** More than almost all feeds have. Larger ones are read by an engine. */
const MAX_COMPARED_BYTES = 2_000_000

/** One conditional request. A feed whose bytes are those that were read before has not changed either. */
export const askFeed = async (outbound: Outbound, feedUrl: string, task: PollTask): Promise<FeedAnswer> => {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const response = await fetchFollowing(outbound, new URL(feedUrl), signal, headersFor(task))
    if (!response) return { kind: 'read' }
    // Without validators there is nothing that it could be the same as.
    if (response.status === 304) return { kind: task.isConditional ? 'unchanged' : 'read' }
    if (!response.ok) return refused(response)
    const digest = await digestOf(response)
    if (digest === null || digest !== task.digest) return { kind: 'read' }
    const { headers } = response
    return { kind: 'unchanged', etag: headers.get('etag'), lastModified: headers.get('last-modified') }
  } catch (cause) {
    if (cause instanceof Forbidden) return failed('SOURCE_UNREACHABLE')
    console.warn('a feed did not answer', new URL(feedUrl).host, `${cause}`)
    return failed(signal.aborted ? 'TIMED_OUT' : 'SOURCE_UNREACHABLE')
  }
}

const headersFor = ({ isConditional, etag, lastModified }: PollTask): Record<string, string> => ({
  accept: 'application/rss+xml, application/atom+xml, application/xml;q=0.9, */*;q=0.8',
  ...(isConditional && etag !== null && { 'if-none-match': etag }),
  ...(isConditional && lastModified !== null && { 'if-modified-since': lastModified }),
})

const refused = async (response: Response): Promise<FeedAnswer> => {
  await response.body?.cancel()
  const { status } = response
  const about = { retryAfterMs: retryAfterMs(response.headers.get('retry-after'), Date.now()), isGone: status === 410 }
  if (status === 404 || status === 410) return failed('SOURCE_NOT_FOUND', about)
  if (status === 429) return failed('SOURCE_RATE_LIMITED', about)
  // An engine has other ways to ask.
  if (status < 500) return { kind: 'read' }
  return failed('SOURCE_UNREACHABLE', about)
}

const failed = (code: FailureCode, about: Partial<PollFailure> = {}): FeedAnswer => {
  const message = messages[code] ?? failures[code].message
  return { kind: 'failed', code, message, retryAfterMs: null, isNoList: false, isGone: false, ...about }
}

const messages: { [Code in FailureCode]?: string } = {
  SOURCE_NOT_FOUND: 'The server says that there is nothing at this URL.',
  TIMED_OUT: 'The server did not answer in time.',
}

/** SHA-256. null: it is too large. */
const digestOf = async ({ body }: Response): Promise<string | null> => {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of body ?? []) {
    sizeBytes += chunk.byteLength
    if (sizeBytes > MAX_COMPARED_BYTES) return null
    chunks.push(chunk)
  }
  return toHex(await crypto.subtle.digest('SHA-256', concatenated(...chunks)))
}
