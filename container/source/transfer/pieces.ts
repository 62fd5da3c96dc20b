import type { Sink } from '../source.ts'
import type { Answer } from './answer.ts'
import { Interrupted } from './patience.ts'
import { type Identity, type Resource, stream, type Way } from './stream.ts'

const smallestPieceBytes = 2 * 1_048_576
const largestPieceBytes = 8 * 1_048_576

export interface Piece {
  start: number
  /** Exclusive. */
  end: number
  /** The answer that brings it, where there is one already. */
  first?: Answer
}

/** Cuts what is left of a file for so many connections: in pieces worth a request, and never huge ones. */
export function piecesOf(start: number, end: number, connections: number): Piece[] {
  const fairShare = Math.ceil((end - start) / connections)
  const size = Math.min(Math.max(fairShare, smallestPieceBytes), largestPieceBytes)
  const count = Math.ceil((end - start) / size)
  return Array.from({ length: count }, (_, i) => ({
    start: start + i * size,
    end: Math.min(end, start + (i + 1) * size),
  }))
}

export interface PiecewiseFile extends Pick<Resource, 'url' | 'headers'> {
  identity: Identity
  pieces: Piece[]
}

/**
 * Reads the pieces of one file over parallel connections, earliest first. An origin that refuses some of
 * the connections is served with fewer.
 */
export async function downloadPieces(file: PiecewiseFile, sink: Sink, way: Way, connections: number): Promise<void> {
  const waiting = [...file.pieces]
  let active = Math.min(connections, waiting.length)
  const work = async (signal: AbortSignal) => {
    for (let piece = waiting.shift(); piece; piece = waiting.shift()) {
      const left = await downloadPiece(file, piece, sink, { ...way, signal }, () => active > 1)
      if (left) {
        waiting.unshift(left)
        break
      }
    }
    active -= 1
  }
  await together(active, work, way.signal)
}

/** Resolves to what is left when the origin is crowded and others can take it over. */
async function downloadPiece(
  { url, headers, identity }: PiecewiseFile,
  { start, end, first }: Piece,
  sink: Sink,
  way: Way,
  yields: () => boolean,
): Promise<Piece | null> {
  let at = start
  const put = async (bytes: Uint8Array, offset: number) => {
    await sink.write(bytes, offset)
    at = offset + bytes.length
  }
  try {
    await stream({ url, headers, start, end }, put, way, { identity, yields, ...(first ? { first } : {}) })
    return null
  } catch (error) {
    if (error instanceof Interrupted && error.crowded && yields()) return { start: at, end }
    throw error
  }
}

/** Runs so many workers; the first that fails ends the others, and its error is the result. */
export async function together(
  workers: number,
  work: (signal: AbortSignal) => Promise<void>,
  outer: AbortSignal,
): Promise<void> {
  const failed = new AbortController()
  const signal = AbortSignal.any([outer, failed.signal])
  const running = Array.from({ length: workers }, () => work(signal).catch((error) => failed.abort(error)))
  await Promise.all(running)
  outer.throwIfAborted()
  failed.signal.throwIfAborted()
}
