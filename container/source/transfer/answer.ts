import type { Response } from 'undici'
import { type Egress, OutOfReach } from '../../egress/egress.ts'
import { failureOfStatus } from '../../failures.ts'
import { SourceFailure } from '../failure.ts'
import { Interrupted } from './patience.ts'

export interface Wish {
  url: string
  headers: Record<string, string>
  start: number
  /** Exclusive; null: to the end. */
  end: number | null
  /** A strong validator: the range only if the file is still the one we know. */
  ifRange?: string | null
}

/** What came back: which bytes of which file, and the bytes. */
export interface Answer {
  /** After redirects. */
  url: string
  headers: Response['headers']
  /** Whether the origin answered with a range (206). */
  isRange: boolean
  /** Where in the file the body begins, and where it ends (exclusive) as far as the origin says. */
  start: number
  end: number | null
  totalBytes: number | null
  /** ETag or Last-Modified, in any strength: two answers with different ones are of different files. */
  tag: string | null
  /** Fit for If-Range. */
  validator: string | null
  /** The next bytes, or null at the end. */
  read(): Promise<Uint8Array | null>
  /** Gives bytes back, to be read again. */
  unread(bytes: Uint8Array): void
  /** Closes the connection. Nothing more is read, paid for or waited for. */
  discard(): void
}

/** An answer that is final, with what the origin said. */
export class Refused extends SourceFailure {
  readonly status: number
  constructor(status: number) {
    super(failureOfStatus(status))
    this.status = status
  }
}

/** Worth another try: the origin is busy, restarting, or was too slow. */
const passing = new Set([408, 425, 429, 500, 502, 503, 504])
const crowdedStatuses = new Set([429, 503])
const maxRetryAfterMs = 30_000

/** Throws Interrupted where another try may help, SourceFailure where none will. */
export async function ask(wish: Wish, egress: Egress, signal: AbortSignal, idleMs: number): Promise<Answer> {
  const watch = watchFor(idleMs, signal)
  const headers = { ...wish.headers, 'accept-encoding': 'identity', ...rangeHeaders(wish) }
  const response = await watch.during(egress.fetch(wish.url, { headers, signal: watch.signal }))
  if (response.status !== 200 && response.status !== 206) {
    watch.hangUp()
    throw refusalOf(response, wish)
  }
  const place = placeOf(response)
  if (!place) {
    watch.hangUp()
    throw new SourceFailure('SOURCE_TRUNCATED', 'The source contradicts itself about its length.')
  }
  return {
    url: response.url || wish.url,
    headers: response.headers,
    ...place,
    ...tagsOf(response),
    ...bodyOf(response, watch),
  }
}

function rangeHeaders({ start, end, ifRange }: Wish): Record<string, string> {
  if (start === 0 && end === null) return {}
  const range = { range: `bytes=${start}-${end === null ? '' : end - 1}` }
  return ifRange ? { ...range, 'if-range': ifRange } : range
}

function refusalOf({ status, headers }: Response, { start }: Wish): SourceFailure {
  // The bytes that were announced are not there.
  if (status === 416 && start > 0) return new SourceFailure('SOURCE_TRUNCATED')
  if (!passing.has(status)) return new Refused(status)
  return new Interrupted(failureOfStatus(status), {
    waitMs: retryAfterMs(headers.get('retry-after')),
    crowded: crowdedStatuses.has(status),
  })
}

function retryAfterMs(header: string | null): number | null {
  if (!header) return null
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? null : Math.min(Math.max(0, ms), maxRetryAfterMs)
}

/** null: the origin contradicts itself. */
function placeOf({ status, headers }: Response) {
  if (status === 200) {
    const length = headers.get('content-length')
    // The length of a compressed body says nothing about the file.
    const isPlain = (headers.get('content-encoding') ?? 'identity') === 'identity'
    const totalBytes = isPlain && length !== null ? Number(length) : null
    return { isRange: false, start: 0, end: totalBytes, totalBytes }
  }
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/i.exec(headers.get('content-range') ?? '') ?? []
  if (!first || !last || !total) return null
  const place = { isRange: true, start: Number(first), end: Number(last) + 1 }
  const totalBytes = total === '*' ? null : Number(total)
  const fits = place.start < place.end && (totalBytes === null || place.end <= totalBytes)
  return fits ? { ...place, totalBytes } : null
}

function tagsOf({ headers }: Response) {
  const etag = headers.get('etag')
  const date = headers.get('last-modified')
  // RFC 9110 13.1.5: never a weak ETag.
  const validator = etag && !etag.startsWith('W/') ? etag : etag ? null : date
  return { tag: etag ?? date, validator }
}

type Watch = ReturnType<typeof watchFor>

/** Gives up on a connection that is silent for too long, but only while we wait for it. */
function watchFor(idleMs: number, signal: AbortSignal) {
  const own = new AbortController()
  const either = AbortSignal.any([signal, own.signal])
  return {
    signal: either,
    hangUp: () => own.abort(),
    async during<T>(work: Promise<T>): Promise<T> {
      const timer = setTimeout(() => own.abort(), idleMs)
      try {
        return await work
      } catch (cause) {
        signal.throwIfAborted()
        throw interruptionOf(cause)
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

function interruptionOf(cause: unknown): SourceFailure {
  if (cause instanceof OutOfReach) return cause
  const code = cause instanceof SourceFailure ? cause.code : 'SOURCE_TRUNCATED'
  return new Interrupted(code, { cause })
}

function bodyOf(response: Response, watch: Watch): Pick<Answer, 'read' | 'unread' | 'discard'> {
  const reader = response.body?.getReader()
  const returned: Uint8Array[] = []
  return {
    async read() {
      const again = returned.pop()
      if (again) return again
      const next = await watch.during(reader?.read() ?? Promise.resolve({ done: true, value: undefined }))
      return next.done ? null : (next.value as Uint8Array)
    },
    unread: (bytes) => void returned.push(bytes),
    discard: watch.hangUp,
  }
}
