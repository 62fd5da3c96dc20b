import type { Sink } from '../source.ts'
import type { RangeResponse } from './range-request.ts'
import { Interrupted } from './retry-policy.ts'
import { type FetchContext, type Identity, type Resource, stream } from './stream.ts'

const minRangeBytes = 2 * 1_048_576
const maxRangeBytes = 8 * 1_048_576

export interface ByteRange {
  start: number
  /** Exclusive. */
  end: number
  /** A response that already contains this range. */
  first?: RangeResponse
}

/** Splits the rest of a file for this many connections, in ranges of 2 to 8 MiB. */
export function splitIntoRanges(start: number, end: number, connections: number): ByteRange[] {
  const fairShare = Math.ceil((end - start) / connections)
  const size = Math.min(Math.max(fairShare, minRangeBytes), maxRangeBytes)
  const count = Math.ceil((end - start) / size)
  return Array.from({ length: count }, (_, i) => ({
    start: start + i * size,
    end: Math.min(end, start + (i + 1) * size),
  }))
}

export interface RangedFile extends Pick<Resource, 'url' | 'headers'> {
  identity: Identity
  ranges: ByteRange[]
}

/**
 * Reads the ranges of one file over parallel connections, in order. When the origin refuses some connections, the
 * others continue.
 */
export async function downloadRanges(
  file: RangedFile,
  sink: Sink,
  context: FetchContext,
  connections: number,
): Promise<void> {
  const remaining = [...file.ranges]
  let active = Math.min(connections, remaining.length)
  const work = async (signal: AbortSignal) => {
    for (let range = remaining.shift(); range; range = remaining.shift()) {
      const rest = await downloadRange(file, range, sink, { ...context, signal }, () => active > 1)
      if (rest) {
        remaining.unshift(rest)
        break
      }
    }
    active -= 1
  }
  await runConcurrently(active, work, context.signal)
}

/** Resolves to the rest of the range when the origin is overloaded and another connection can continue with it. */
async function downloadRange(
  { url, headers, identity }: RangedFile,
  { start, end, first }: ByteRange,
  sink: Sink,
  context: FetchContext,
  yields: () => boolean,
): Promise<ByteRange | null> {
  let at = start
  const put = async (bytes: Uint8Array, offset: number) => {
    await sink.write(bytes, offset)
    at = offset + bytes.length
  }
  try {
    await stream({ url, headers, start, end }, put, context, { identity, yields, ...(first ? { first } : {}) })
    return null
  } catch (error) {
    if (error instanceof Interrupted && error.overloaded && yields()) return { start: at, end }
    throw error
  }
}

/** Runs `work` this many times in parallel. The first failure aborts the others and is thrown. */
export async function runConcurrently(
  count: number,
  work: (signal: AbortSignal) => Promise<void>,
  outerSignal: AbortSignal,
): Promise<void> {
  const failed = new AbortController()
  const signal = AbortSignal.any([outerSignal, failed.signal])
  const running = Array.from({ length: count }, () => work(signal).catch((error) => failed.abort(error)))
  await Promise.all(running)
  outerSignal.throwIfAborted()
  failed.signal.throwIfAborted()
}
