import { SourceFailure } from '../../failures.ts'
import { type Budget, type FileRange, indexAt, mergeRanges } from './file-ranges.ts'

export interface FilePart {
  start: number
  bytes: Uint8Array
}

/** What is known of a remote file, as it is sent to the reader process. The parts may overlap. */
export interface KnownBytes {
  sizeBytes: number | null
  parts: FilePart[]
}

/** Bytes that have to be fetched before the file can be read further. */
export class Missing extends Error {
  readonly ranges: FileRange[]
  constructor(ranges: FileRange[]) {
    super('bytes that are not fetched yet')
    this.ranges = ranges
  }
}

/** What `read` returns, or null if it needs bytes that are not known. */
export const ifKnown = <T>(read: () => T): T | null => {
  try {
    return read()
  } catch (error) {
    if (error instanceof Missing) return null
    throw error
  }
}

/** Nothing tells where the bytes are, so only the complete file would do. */
export class OutOfReach extends Error {}

export const malformed = (what: string): SourceFailure => new SourceFailure('SOURCE_UNSUPPORTED', `malformed ${what}`)

/** A remote file of which some parts are known. A read of unknown bytes throws Missing. */
export class SparseFile {
  readonly sizeBytes: number | null
  readonly #parts: FilePart[]

  constructor({ sizeBytes, parts }: KnownBytes) {
    this.sizeBytes = sizeBytes
    this.#parts = withoutOverlaps(parts)
  }

  read(start: number, end: number): Buffer {
    const { pieces, knownTo } = this.#piecesOf(start, end)
    if (knownTo < end) throw new Missing([{ start: knownTo, end }])
    const [first] = pieces
    if (pieces.length !== 1 || !first) return Buffer.concat(pieces)
    return Buffer.from(first.buffer, first.byteOffset, first.length)
  }

  readUpTo(start: number, end: number): Buffer {
    return this.read(start, Math.max(start, Math.min(end, this.sizeBytes ?? end)))
  }

  has({ start, end }: FileRange): boolean {
    return this.#piecesOf(start, end).knownTo === end
  }

  /** Throws Missing with all ranges that are not known, up to the end of the file, so that they are fetched at once. */
  require(ranges: FileRange[]): void {
    const inFile = ranges.map(({ start, end }) => ({ start, end: Math.min(end, this.sizeBytes ?? end) }))
    const missing = inFile.filter((range) => range.end > range.start && !this.has(range))
    if (missing.length > 0) throw new Missing(missing)
  }

  /** The known bytes from `start` on, up to the first gap. */
  #piecesOf(start: number, end: number): { pieces: Uint8Array[]; knownTo: number } {
    const isValid = Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && start <= end
    if (!isValid || end > (this.sizeBytes ?? end)) throw malformed('offset')
    const pieces: Uint8Array[] = []
    let at = start
    for (let index = indexAt(this.#parts, at); at < end; index++) {
      const part = this.#parts[index]
      if (!part || part.start > at || part.start + part.bytes.length <= at) break
      const bytes = part.bytes.subarray(at - part.start, end - part.start)
      pieces.push(bytes)
      at += bytes.length
    }
    return { pieces, knownTo: at }
  }
}

const withoutOverlaps = (parts: FilePart[]): FilePart[] => {
  const separate: FilePart[] = []
  let end = 0
  for (const { start, bytes } of parts.toSorted((one, other) => one.start - other.start)) {
    const from = Math.max(start, end)
    const rest = bytes.subarray(from - start)
    if (rest.length === 0) continue
    separate.push({ start: from, bytes: rest })
    end = from + rest.length
  }
  return separate
}

/** The reader process keeps nothing between calls. After a `fetch`, the same call is made again with these ranges. */
export type Answer<T> =
  | { found: T }
  | { fetch: FileRange[] }
  /** Only the whole file would do, or the budget is too small. */
  | { outOfReach: string }

export const answerOf = <T>(budget: Budget, work: () => T): Answer<T> => {
  try {
    return { found: work() }
  } catch (error) {
    if (error instanceof OutOfReach) return { outOfReach: error.message }
    if (!(error instanceof Missing)) throw error
    const ranges = mergeRanges(error.ranges, budget)
    return ranges ? { fetch: ranges } : { outOfReach: 'too many bytes or requests' }
  }
}
