import { concatenated, utf8 } from '../encoding.ts'
import { inOrder, partsOf, type Segment, type SegmentWord, withoutWords } from './segment.ts'
import { join } from './writing.ts'

/**
 * How a transcript is stored: as `JSON.stringify` writes `{ text, segments: [{ start, … }, …] }`. A transcript may
 * have tens of megabytes, so it is never parsed as a whole. It is read in chunks and divided at sequences of
 * characters that occur nowhere else: within a JSON string, a quotation mark follows a backslash and never a comma
 * or a brace.
 *
 * With word times it is stored twice in one object: a line without the words, which is a fifth of the size and what most
 * readers want, and a line with them. Both are copied as ranges of bytes. A segment never contains
 * `},{"start":` in the first one, so only that one is divided into segments.
 */
export const TEXT_STARTS = '{"text":'
export const SEGMENTS_START = ',"segments":'
const FIRST_SEGMENT = `${SEGMENTS_START}[{"start":`
const NEXT_SEGMENT = '},{"start":'
const LAST_SEGMENT_ENDS = '}]}'

export interface TranscriptBody {
  text: string
  segments: Segment[]
}

/** A transcript in the form in which it is stored, and the facts about it that are reported with it. */
export interface StoredTranscript extends StoredLayout {
  body: Uint8Array
  segments: number
  /** When the last segment ends; 0 without segments. */
  endSeconds: number
}

/** What a reader of the stored object has to know. */
export interface StoredLayout {
  /** Whether any segment has its words. */
  hasWords: boolean
  hasSpeakers: boolean
  /** The size of the line without words. null: the transcript has no words, and the object is that line. */
  plainBytes: number | null
}

export const storedTranscript = (segments: Iterable<Segment>): StoredTranscript => {
  const ordered = inOrder(segments)
  const hasWords = ordered.some(({ words }) => words !== undefined && words.length > 0)
  const plain = jsonOf(ordered.map(withoutWords))
  return {
    body: hasWords ? concatenated(plain, utf8('\n'), jsonOf(ordered)) : plain,
    segments: ordered.length,
    endSeconds: ordered.at(-1)?.end ?? 0,
    hasWords,
    hasSpeakers: ordered.some(({ speaker }) => speaker !== undefined),
    plainBytes: hasWords ? plain.length : null,
  }
}

const jsonOf = (segments: Segment[]): Uint8Array => {
  const body: TranscriptBody = { text: join(segments.map(({ text }) => text)), segments }
  return new TextEncoder().encode(JSON.stringify(body))
}

/** Where the line with words, or the one without, is in the stored object. `length` undefined: to its end. */
export const rangeInObject = (plainBytes: number | null, withWords: boolean): { offset: number; length?: number } => {
  if (plainBytes === null) return { offset: 0 }
  return withWords ? { offset: plainBytes + 1 } : { offset: 0, length: plainBytes }
}

/** The segments of a stored transcript, as its bytes arrive. Long segments are divided. */
export async function* storedSegments(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Segment> {
  for await (const piece of pieces(chunks)) yield* partsOf(JSON.parse(`{"start":${piece}}`))
}

const FIRST_WORD = ',"words":[{"start":'
const LAST_WORD_ENDS = '}]'

/**
 * The words of a stored transcript, read from the line that has them. Here the pieces are words too: a segment's first
 * word follows its text, and its last word ends the list.
 */
export async function* storedWords(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<SegmentWord> {
  let isWithinWords = false
  for await (const piece of pieces(chunks)) {
    const at: number = isWithinWords ? -1 : piece.indexOf(FIRST_WORD)
    const isSegmentWithoutWords = !isWithinWords && at === -1
    if (isSegmentWithoutWords) continue
    const word = at === -1 ? piece : piece.slice(at + FIRST_WORD.length)
    isWithinWords = !word.endsWith(LAST_WORD_ENDS)
    yield JSON.parse(`{"start":${isWithinWords ? word : word.slice(0, -LAST_WORD_ENDS.length)}}`)
  }
}

/** What is between the separators, without the braces around it. */
async function* pieces(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const reader = new PieceReader()
  for await (const chunk of chunks) yield* reader.read(decoder.decode(chunk, { stream: true }))
  yield* reader.end()
}

class PieceReader {
  /** The parts of the piece that has not ended. They are joined once, because a single segment may have megabytes. */
  #parts: string[] = []
  /** The last characters, which may be the start of a separator. */
  #rest = ''
  #hasSegments = false

  #piece(end: string): string {
    const piece = this.#parts.join('') + end
    this.#parts = []
    return piece
  }

  *read(chunk: string): Generator<string> {
    let text = this.#rest + chunk
    if (!this.#hasSegments) {
      const at = text.indexOf(FIRST_SEGMENT)
      this.#rest = text.slice(1 - FIRST_SEGMENT.length)
      if (at === -1) return
      this.#hasSegments = true
      text = text.slice(at + FIRST_SEGMENT.length)
    }
    let from = 0
    for (let to = text.indexOf(NEXT_SEGMENT); to !== -1; to = text.indexOf(NEXT_SEGMENT, from)) {
      yield this.#piece(text.slice(from, to))
      from = to + NEXT_SEGMENT.length
    }
    const searched = Math.max(from, text.length - NEXT_SEGMENT.length + 1)
    this.#parts.push(text.slice(from, searched))
    this.#rest = text.slice(searched)
  }

  *end(): Generator<string> {
    if (!this.#hasSegments) return
    if (!this.#rest.endsWith(LAST_SEGMENT_ENDS)) throw new Error('the stored transcript is incomplete')
    yield this.#piece(this.#rest.slice(0, -LAST_SEGMENT_ENDS.length))
  }
}
