import { createHash } from 'node:crypto'
import { retry } from '../../../domain/retry.ts'
import { AllowanceExceeded } from '../../egress/allowance.ts'
import type { Egress } from '../../egress/egress.ts'
import { SourceTooSlow } from '../../egress/least-speed.ts'
import { ForbiddenDestination } from '../../egress/requests.ts'
import { SourceFailure } from '../../failures.ts'
import { factsOf, type RangeResponse } from './range-response.ts'
import { defaultRetryPolicy, failureOfResponse, Interrupted, type RetryPolicy, retryOptions } from './retry-policy.ts'

export interface FetchContext {
  egress: Egress
  signal: AbortSignal
  retryPolicy?: Partial<RetryPolicy> | undefined
}

export interface FileAddress {
  url: string
  headers: Record<string, string>
}

export interface Resource extends FileAddress {
  start: number
  /** Exclusive; null: where the file ends. */
  end: number | null
}

export type Identity = Pick<RangeResponse, 'totalBytes' | 'tag' | 'validator'>

interface StreamOptions {
  first?: RangeResponse | undefined
  onIdentity?(response: RangeResponse): void
  identity?: Identity | undefined
  /** Called when the origin is overloaded: true stops this download without a retry. */
  yields?(): boolean
}

type Put = (bytes: Uint8Array, offset: number) => Promise<void>

/** The origin does not serve ranges, or no longer does. The file has to be read from its start. */
export class WithoutRanges extends Error {}

/** Progress that resets the failure count. An origin that cuts each connection after fewer bytes is given up. */
const minProgressBytes = 65_536

/**
 * Reads a resource in order, despite cuts, stalls and refusals. After a cut it continues: by a range where the origin has
 * them, otherwise by reading from the start and comparing the bytes that are already written. `put` gets each byte once.
 */
export async function stream(
  resource: Resource,
  put: Put,
  context: FetchContext,
  { first, ...options }: StreamOptions = {},
): Promise<number> {
  const reading = createReading(resource, put, options)
  let next = first
  const readOn = async (): Promise<number> => {
    for (;;) {
      try {
        const response = next ?? (await requestRange(reading.nextRequest(), context))
        next = undefined
        if (await reading.advance(response)) return reading.at
      } catch (error) {
        if (!(error instanceof WithoutRanges && reading.stopUsingRanges())) throw error
      }
    }
  }
  let failedAt = 0
  return await retry(readOn, {
    ...retryOptions({ ...defaultRetryPolicy, ...context.retryPolicy }, context.signal),
    isRetryable: (error) => error instanceof Interrupted && !(error.overloaded && options.yields?.()),
    hasProgressed: () => {
      const bytes = reading.at - failedAt
      failedAt = reading.at
      return bytes >= minProgressBytes
    },
  })
}

function createReading(resource: Resource, put: Put, options: StreamOptions) {
  const digest = createHash('sha1')
  let { identity } = options
  let at = resource.start
  /** Without ranges, a file is taken as unchanged after a cut only if its beginning is unchanged. */
  let digestsBody = false
  let trustsRanges = true

  return {
    get at() {
      return at
    },
    nextRequest: () => ({ ...resource, start: trustsRanges ? at : 0, ifRange: identity?.validator ?? null }),
    /** Stops using ranges. False if the download cannot restart: only a whole file can be read from its start. */
    stopUsingRanges() {
      const isWhole = resource.start === 0 && resource.end === null
      if (isWhole && !trustsRanges) throw new SourceFailure('SOURCE_TRUNCATED', 'The source sends a part of the file.')
      trustsRanges = false
      return isWhole
    },
    /** Reads a response to its end. True at the end of the resource, false at the end of a range. */
    async advance(response: RangeResponse): Promise<boolean> {
      try {
        identify(response)
        await skip(response)
        await read(response)
      } finally {
        response.discard()
      }
      const end = resource.end ?? identity?.totalBytes ?? null
      if (end === null || at === end) return true
      if (at > end) throw new SourceFailure('SOURCE_TRUNCATED', 'The source is longer than announced.')
      // An origin may send a shorter range than requested. Any other early end is a cut.
      if (!response.isRange || at !== response.end) throw new Interrupted('SOURCE_TRUNCATED')
      return false
    },
  }

  function identify(response: RangeResponse) {
    if (at === resource.start) digestsBody = !response.isRange
    if (identity) return assertSame(identity, response)
    identity = response
    options.onIdentity?.(response)
  }

  async function read(response: RangeResponse) {
    for (let bytes = await response.read(); bytes; bytes = await response.read()) {
      const kept = resource.end === null ? bytes : bytes.subarray(0, resource.end - at)
      await put(kept, at)
      if (digestsBody) digest.update(kept)
      at += kept.length
      // When the body ends here too, it is read to its end so that the connection can be reused.
      if (at === resource.end && at !== response.end) break
    }
  }

  async function skip(response: RangeResponse) {
    const ahead = at - response.start
    const isFromStart = response.start === resource.start
    if (response.isRange ? ahead !== 0 : ahead > nearBytes && !isFromStart) throw new WithoutRanges()
    const again = await digestOf(response, ahead)
    if (isFromStart && digestsBody && again !== digest.copy().digest('hex')) throw changed()
  }
}

const nearBytes = 65_536

async function digestOf(response: RangeResponse, length: number): Promise<string> {
  const hash = createHash('sha1')
  for (let left = length; left > 0; ) {
    const bytes = await response.read()
    if (!bytes) throw new Interrupted('SOURCE_TRUNCATED')
    hash.update(bytes.subarray(0, left))
    if (bytes.length > left) response.unread(bytes.subarray(left))
    left -= bytes.length
  }
  return hash.digest('hex')
}

function assertSame(known: Identity, response: RangeResponse) {
  const isSame = response.tag === known.tag && (known.totalBytes === null || response.totalBytes === known.totalBytes)
  if (!isSame) throw changed()
}

const changed = () => new SourceFailure('SOURCE_TRUNCATED', 'The source changed during the download.')

/**
 * `ifRange` is a strong validator: the origin sends the range only if the file has not changed. Throws Interrupted when a
 * retry may succeed, and another SourceFailure when not.
 */
export async function requestRange(
  request: Resource & { ifRange?: string | null },
  { egress, signal }: FetchContext,
): Promise<RangeResponse> {
  const closed = new AbortController()
  const headers = { ...request.headers, 'accept-encoding': 'identity', ...rangeHeaders(request) }
  const init = { headers, signal: AbortSignal.any([signal, closed.signal]) }
  const response = await orInterrupted(egress.fetch(request.url, init), signal)
  const refuse = (failure: SourceFailure) => {
    closed.abort()
    throw failure
  }
  if (response.status !== 200 && response.status !== 206) return refuse(failureOfResponse(response, request.start))
  const facts = factsOf(response)
  if (!facts) return refuse(new SourceFailure('SOURCE_TRUNCATED', 'The source sent an invalid Content-Range header.'))
  const reader = response.body?.getReader()
  const returned: Uint8Array[] = []
  return {
    ...{ url: response.url || request.url, headers: response.headers, ...facts },
    read: async () => {
      const again = returned.pop()
      if (again || !reader) return again ?? null
      const next = await orInterrupted(reader.read(), signal)
      return next.done ? null : (next.value as Uint8Array)
    },
    unread: (bytes) => void returned.push(bytes),
    discard: () => closed.abort(),
  }
}

function rangeHeaders({ start, end, ifRange }: Parameters<typeof requestRange>[0]): Record<string, string> {
  if (start === 0 && end === null) return {}
  const range = { range: `bytes=${start}-${end === null ? '' : end - 1}` }
  return ifRange ? { ...range, 'if-range': ifRange } : range
}

const orInterrupted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  work.catch((cause) => {
    signal.throwIfAborted()
    throw interruptionOf(cause)
  })

function interruptionOf(cause: unknown): SourceFailure {
  if (cause instanceof ForbiddenDestination || cause instanceof AllowanceExceeded) return cause
  if (cause instanceof SourceTooSlow && cause.isFinal) return cause
  return cause instanceof SourceFailure
    ? new Interrupted(cause.code, { cause, message: cause.message })
    : new Interrupted('SOURCE_TRUNCATED', { cause })
}
