import { inParallel } from '../../domain/lanes.ts'
import type { FileRange } from './index/file-ranges.ts'
import { openDirect, requestFirstBytes } from './resolve.ts'
import type { FileTransport, Rendition, Sink } from './source.ts'
import type { RangeResponse } from './transfer/range-response.ts'
import { Interrupted } from './transfer/retry-policy.ts'
import { unpackSegments } from './transfer/segment-list.ts'
import { downloadSegments, segmentListOf } from './transfer/segments.ts'
import { type FetchContext, type FileAddress, type Identity, stream, WithoutRanges } from './transfer/stream.ts'

/** Returns the number of bytes that were written. */
export const download = async ({ transport }: Pick<Rendition, 'transport'>, sink: Sink, context: FetchContext) => {
  if (transport.kind === 'file') return await downloadFile(transport, sink, context)
  const segments = unpackSegments(await segmentListOf(transport, context))
  return await downloadSegments({ segments, headers: transport.headers }, sink, context)
}

const defaultConnections = 4

export async function downloadFile(
  transport: FileTransport,
  sink: Sink,
  context: FetchContext,
  connections = defaultConnections,
): Promise<number> {
  const { headers } = transport
  const opened = transport.opened ?? (await openDirect(transport, context))
  const first = opened.take() ?? (await requestFirstBytes({ url: opened.url, headers }, context))
  try {
    return await downloadFrom(first, headers, sink, context, connections)
  } finally {
    first.discard()
  }
}

async function downloadFrom(
  first: RangeResponse,
  headers: Record<string, string>,
  sink: Sink,
  context: FetchContext,
  connections: number,
): Promise<number> {
  const file = { url: first.url, headers }
  const whole = { ...file, start: 0, end: null }
  if (first.totalBytes !== null) sink.announce(first.totalBytes)
  const ranges = parallelRanges(first, connections)
  if (!ranges) return await stream(whole, sink.write, context, { first })
  try {
    await downloadRanges({ ...file, identity: first, ranges }, sink, context, connections)
    return ranges.at(-1)?.end ?? 0
  } catch (error) {
    if (!(error instanceof WithoutRanges)) throw error
    return await stream(whole, sink.write, context, { identity: first })
  }
}

/** null when the origin has no ranges, when nothing identifies the file, or when the first response has all of it. */
function parallelRanges(first: RangeResponse, connections: number): ByteRange[] | null {
  const { isRange, end, totalBytes, validator } = first
  if (!isRange || !validator || end === null || totalBytes === null || end === totalBytes) return null
  return [{ start: 0, end, first }, ...splitIntoRanges(end, totalBytes, connections)]
}

const minRangeBytes = 2 * 1_048_576
const maxRangeBytes = 8 * 1_048_576

interface ByteRange extends FileRange {
  first?: RangeResponse
}

export function splitIntoRanges(start: number, end: number, connections: number): ByteRange[] {
  const fairShare = Math.ceil((end - start) / connections)
  const size = Math.min(Math.max(fairShare, minRangeBytes), maxRangeBytes)
  const count = Math.ceil((end - start) / size)
  return Array.from({ length: count }, (_, i) => ({
    start: start + i * size,
    end: Math.min(end, start + (i + 1) * size),
  }))
}

interface RangedFile extends FileAddress {
  identity: Identity
  ranges: ByteRange[]
}

/** When the origin refuses some connections, the others continue. */
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
  await inParallel(active, work, context.signal)
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
    await stream({ url, headers, start, end }, put, context, { identity, yields, first })
    return null
  } catch (error) {
    if (error instanceof Interrupted && error.overloaded && yields()) return { start: at, end }
    throw error
  }
}
