import type { Egress } from '../../egress/egress.ts'
import { firstAnswer, openDirect } from '../direct.ts'
import type { Downloaded, Sink, Transport } from '../source.ts'
import type { Answer } from './answer.ts'
import { type DownloadOptions, limitedTo } from './limits.ts'
import { usualPatience } from './patience.ts'
import { downloadPieces, type Piece, piecesOf } from './pieces.ts'
import { stream, type Way, WithoutRanges } from './stream.ts'

const usualConnections = 4

/** Fetches a file: in parallel ranges where the origin can be trusted with them, else in one stream. */
export async function downloadFile(
  transport: Extract<Transport, { kind: 'file' }>,
  egress: Egress,
  sink: Sink,
  signal: AbortSignal,
  { maxBytes = Number.POSITIVE_INFINITY, connections = usualConnections, patience = {} }: DownloadOptions = {},
): Promise<Downloaded> {
  const way: Way = { egress, signal, patience: { ...usualPatience, ...patience } }
  const { headers } = transport
  const opened =
    transport.opened ?? (await openDirect(transport.url, egress, signal, { headers, patience: way.patience }))
  const first = opened.take() ?? (await firstAnswer({ url: opened.url, headers }, way))
  const limited = limitedTo(maxBytes, sink)
  try {
    const sizeBytes = await downloadFrom(first, headers, limited, way, connections)
    return { sizeBytes, filename: opened.filename, contentType: opened.contentType }
  } finally {
    first.discard()
  }
}

async function downloadFrom(first: Answer, headers: Record<string, string>, sink: Sink, way: Way, connections: number) {
  const file = { url: first.url, headers }
  const whole = { ...file, start: 0, end: null }
  if (first.totalBytes !== null) sink.announce(first.totalBytes)
  const pieces = parallelPieces(first, connections)
  if (!pieces) return await stream(whole, sink.write, way, { first })
  try {
    await downloadPieces({ ...file, identity: first, pieces }, sink, way, connections)
    return pieces.at(-1)?.end ?? 0
  } catch (error) {
    if (!(error instanceof WithoutRanges)) throw error
    return await stream(whole, sink.write, way, { identity: first })
  }
}

/** null: the origin does not give ranges of a file that is certainly the same, or there is nothing left to get. */
function parallelPieces(first: Answer, connections: number): Piece[] | null {
  const { isRange, end, totalBytes, validator } = first
  if (!isRange || !validator || end === null || totalBytes === null || end === totalBytes) return null
  return [{ start: 0, end, first }, ...piecesOf(end, totalBytes, connections)]
}
