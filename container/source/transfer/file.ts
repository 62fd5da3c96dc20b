import type { Egress } from '../../egress/egress.ts'
import { openDirect, requestFirstBytes } from '../direct.ts'
import type { Downloaded, FileTransport, Sink } from '../source.ts'
import { type DownloadOptions, withSizeLimit } from './limits.ts'
import { type ByteRange, downloadRanges, splitIntoRanges } from './parallel-ranges.ts'
import type { RangeResponse } from './range-request.ts'
import { defaultRetryPolicy } from './retry-policy.ts'
import { type FetchContext, stream, WithoutRanges } from './stream.ts'

const defaultConnections = 4

/** Fetches a file in parallel ranges where the origin supports them reliably, otherwise in one stream. */
export async function downloadFile(
  transport: FileTransport,
  egress: Egress,
  sink: Sink,
  signal: AbortSignal,
  { maxBytes = Number.POSITIVE_INFINITY, connections = defaultConnections, retryPolicy = {} }: DownloadOptions = {},
): Promise<Downloaded> {
  const context: FetchContext = { egress, signal, retryPolicy: { ...defaultRetryPolicy, ...retryPolicy } }
  const { headers } = transport
  const opened =
    transport.opened ?? (await openDirect(transport.url, egress, signal, { headers, retryPolicy: context.retryPolicy }))
  const first = opened.take() ?? (await requestFirstBytes({ url: opened.url, headers }, context))
  try {
    return { sizeBytes: await downloadFrom(first, headers, withSizeLimit(maxBytes, sink), context, connections) }
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
