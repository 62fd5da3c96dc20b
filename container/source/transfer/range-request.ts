import type { Response } from 'undici'
import { retryAfterMs } from '../../../domain/retry.ts'
import { AllowanceExceeded } from '../../egress/allowance.ts'
import { type Egress, ForbiddenDestination } from '../../egress/egress.ts'
import { SourceTooSlow } from '../../egress/least-speed.ts'
import { failureOfStatus, SourceFailure } from '../../failures.ts'
import { Interrupted } from './retry-policy.ts'

export interface RangeRequest {
  url: string
  headers: Record<string, string>
  start: number
  /** Exclusive; null: to the end. */
  end: number | null
  /** A strong validator: the origin sends the range only if the file has not changed. */
  ifRange?: string | null
}

/** The position of the body in the file, what identifies the file, and the body. */
export interface RangeResponse {
  /** After redirects. */
  url: string
  headers: Response['headers']
  /** The status is 206. */
  isRange: boolean
  /** Position of the body in the file. `end` is exclusive, and null when the origin does not report it. */
  start: number
  end: number | null
  totalBytes: number | null
  /** ETag (strong or weak) or Last-Modified. Responses with different tags are of different files. */
  tag: string | null
  /** The tag, if If-Range accepts it. */
  validator: string | null
  /** The next bytes, or null at the end. */
  read(): Promise<Uint8Array | null>
  /** Puts bytes back, to be read again. */
  unread(bytes: Uint8Array): void
  /** Closes the connection. */
  discard(): void
}

/** A status that a retry will not change. */
export class RefusedByOrigin extends SourceFailure {
  readonly status: number
  constructor(status: number) {
    super(failureOfStatus(status))
    this.status = status
  }
}

/** The origin is overloaded, restarting or too slow: a retry may succeed. */
const retryableStatuses = new Set([408, 425, 429, 500, 502, 503, 504])
const overloadStatuses = new Set([429, 503])
const maxRetryAfterMs = 30_000

/** Throws Interrupted when a retry may succeed, and another SourceFailure when not. */
export async function requestRange(
  request: RangeRequest,
  egress: Egress,
  signal: AbortSignal,
  idleMs: number,
): Promise<RangeResponse> {
  const connection = createIdleTimeout(idleMs, signal)
  const headers = { ...request.headers, 'accept-encoding': 'identity', ...rangeHeaders(request) }
  const response = await connection.during(egress.fetch(request.url, { headers, signal: connection.signal }))
  if (response.status !== 200 && response.status !== 206) {
    connection.close()
    throw failureOfResponse(response, request)
  }
  const position = positionOf(response)
  if (!position) {
    connection.close()
    throw new SourceFailure('SOURCE_TRUNCATED', 'The source sent an invalid Content-Range header.')
  }
  return {
    url: response.url || request.url,
    headers: response.headers,
    ...position,
    ...tagsOf(response),
    ...bodyOf(response, connection),
  }
}

function rangeHeaders({ start, end, ifRange }: RangeRequest): Record<string, string> {
  if (start === 0 && end === null) return {}
  const range = { range: `bytes=${start}-${end === null ? '' : end - 1}` }
  return ifRange ? { ...range, 'if-range': ifRange } : range
}

function failureOfResponse({ status, headers }: Response, { start }: RangeRequest): SourceFailure {
  // The file is shorter than an earlier response announced.
  if (status === 416 && start > 0) return new SourceFailure('SOURCE_TRUNCATED')
  if (!retryableStatuses.has(status)) return new RefusedByOrigin(status)
  const retryAfter = retryAfterMs(headers.get('retry-after'), Date.now())
  return new Interrupted(failureOfStatus(status), {
    waitMs: retryAfter === null ? null : Math.min(retryAfter, maxRetryAfterMs),
    overloaded: overloadStatuses.has(status),
  })
}

/** null when Content-Range is missing, malformed or inconsistent. */
function positionOf({ status, headers }: Response) {
  if (status === 200) {
    const length = headers.get('content-length')
    // The length of a compressed body is not the length of the file.
    const isPlain = (headers.get('content-encoding') ?? 'identity') === 'identity'
    const totalBytes = isPlain && length !== null ? Number(length) : null
    return { isRange: false, start: 0, end: totalBytes, totalBytes }
  }
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/i.exec(headers.get('content-range') ?? '') ?? []
  if (!first || !last || !total) return null
  const position = { isRange: true, start: Number(first), end: Number(last) + 1 }
  const totalBytes = total === '*' ? null : Number(total)
  const isConsistent = position.start < position.end && (totalBytes === null || position.end <= totalBytes)
  return isConsistent ? { ...position, totalBytes } : null
}

function tagsOf({ headers }: Response) {
  const etag = headers.get('etag')
  const date = headers.get('last-modified')
  // RFC 9110, section 13.1.5: If-Range does not accept a weak ETag.
  const validator = etag && !etag.startsWith('W/') ? etag : etag ? null : date
  return { tag: etag ?? date, validator }
}

type IdleTimeout = ReturnType<typeof createIdleTimeout>

/** Closes a connection that is idle for too long. Only the time spent waiting for it counts. */
function createIdleTimeout(idleMs: number, signal: AbortSignal) {
  const closed = new AbortController()
  return {
    signal: AbortSignal.any([signal, closed.signal]),
    close: () => closed.abort(),
    async during<T>(work: Promise<T>): Promise<T> {
      const timer = setTimeout(() => closed.abort(), idleMs)
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
  if (cause instanceof ForbiddenDestination || cause instanceof AllowanceExceeded) return cause
  if (cause instanceof SourceTooSlow && cause.isFinal) return cause
  return cause instanceof SourceFailure
    ? new Interrupted(cause.code, { cause, message: cause.message })
    : new Interrupted('SOURCE_TRUNCATED', { cause })
}

function bodyOf(response: Response, connection: IdleTimeout): Pick<RangeResponse, 'read' | 'unread' | 'discard'> {
  const reader = response.body?.getReader()
  const returned: Uint8Array[] = []
  return {
    async read() {
      const again = returned.pop()
      if (again) return again
      const next = await connection.during(reader?.read() ?? Promise.resolve({ done: true, value: undefined }))
      return next.done ? null : (next.value as Uint8Array)
    },
    unread: (bytes) => void returned.push(bytes),
    discard: connection.close,
  }
}
