import { createHash } from 'node:crypto'
import type { Egress } from '../../egress/egress.ts'
import { SourceFailure } from '../../failures.ts'
import { type RangeResponse, requestRange } from './range-request.ts'
import { createRetryWait, Interrupted, type RetryPolicy } from './retry-policy.ts'

export interface FetchContext {
  egress: Egress
  signal: AbortSignal
  retryPolicy: RetryPolicy
}

/** A file, or a range of one. */
export interface Resource {
  url: string
  headers: Record<string, string>
  start: number
  /** Exclusive; null: where the file ends. */
  end: number | null
}

/** What identifies the file, so that bytes of two files are never mixed. */
export type Identity = Pick<RangeResponse, 'totalBytes' | 'tag' | 'validator'>

export interface StreamOptions {
  /** A response that has already arrived; it is read first. */
  first?: RangeResponse
  /** Called once, before the first byte. */
  onIdentity?(response: RangeResponse): void
  /** The file that the responses must be of. */
  identity?: Identity
  /** Called when the origin is overloaded: true stops this download without a retry. */
  yields?(): boolean
}

export type Put = (bytes: Uint8Array, offset: number) => Promise<void>

/** The origin does not serve ranges, or no longer does. The file has to be read from its start. */
export class WithoutRanges extends Error {}

/**
 * Reads a resource from its first to its last byte, in order, despite cuts, stalls and refusals. After a cut
 * it continues: by a range where the origin has them, otherwise by reading from the start and comparing
 * the bytes that are already written. `put` gets each byte once. Resolves to where the resource ended.
 */
export async function stream(
  resource: Resource,
  put: Put,
  context: FetchContext,
  options: StreamOptions = {},
): Promise<number> {
  const waitForRetry = createRetryWait(context.retryPolicy, context.signal)
  const reading = createReading(resource, put, options)
  let first = options.first
  for (;;) {
    try {
      const { egress, signal, retryPolicy } = context
      const response = first ?? (await requestRange(reading.nextRequest(), egress, signal, retryPolicy.idleMs))
      first = undefined
      if (await reading.advance(response)) return reading.at
    } catch (error) {
      if (error instanceof WithoutRanges && reading.stopUsingRanges()) continue
      if (!(error instanceof Interrupted) || (error.overloaded && options.yields?.())) throw error
      await waitForRetry(error, reading.at)
    }
  }
}

/** The position in a resource, over as many responses as it takes. */
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
      const canRestart = trustsRanges && resource.start === 0 && resource.end === null
      trustsRanges = false
      return canRestart
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

  /** Skips the bytes that are already written, and checks that they are the same. */
  async function skip(response: RangeResponse) {
    const ahead = at - response.start
    const isFromStart = response.start === resource.start
    if (response.isRange ? ahead !== 0 : ahead > nearBytes && !isFromStart) throw new WithoutRanges()
    const again = await digestOf(response, ahead)
    if (isFromStart && digestsBody && again !== digest.copy().digest('hex')) throw changed()
  }
}

/** Skipping this many bytes is cheaper than another request. */
const nearBytes = 65_536

/** Reads this many bytes of a response and returns their digest. */
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
