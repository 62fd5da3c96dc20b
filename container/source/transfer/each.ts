import type { Segment, Transport } from '../source.ts'
import { together } from './pieces.ts'
import { downloadSegments } from './segments.ts'
import type { Way } from './stream.ts'

const connections = 6

/** Small segments each by itself, in memory: the files of a subtitle rendition are not one file when joined. */
export async function fetchEach(
  { segments, headers }: Omit<Extract<Transport, { kind: 'segments' }>, 'kind'>,
  way: Way,
  maxBytes: number,
): Promise<Uint8Array[]> {
  const files: Uint8Array[] = []
  let left = maxBytes
  const fetchOne = async (segment: Segment, signal: AbortSignal) => {
    const pieces: Uint8Array[] = []
    const write = async (bytes: Uint8Array) => void pieces.push(bytes)
    const sink = { announce: () => {}, write }
    const options = { maxBytes: left, connections: 1, patience: way.patience }
    const { sizeBytes } = await downloadSegments(
      { kind: 'segments', segments: [segment], headers },
      way.egress,
      sink,
      signal,
      options,
    )
    left -= sizeBytes
    return Buffer.concat(pieces)
  }
  const waiting = segments.entries()
  const work = async (signal: AbortSignal) => {
    for (const [index, segment] of waiting) files[index] = await fetchOne(segment, signal)
  }
  await together(connections, work, way.signal)
  return files
}
