import { concatenated, utf8 } from '../encoding.ts'
import { inOrder, partsOf, type Segment, type SegmentWord, withoutWords } from './segment.ts'
import { join } from './writing.ts'

/**
 * A transcript is stored as JSON Lines: its text, then each segment. It may have tens of megabytes, so it is read in
 * chunks and divided at line ends, and never parsed as a whole. With word times it is stored twice in one object: first
 * without the words, a fifth of the size and what most readers want, then with them. Both are copied as ranges.
 */
export const TRANSCRIPT_TYPE = 'application/jsonl'
export const LINE_END = 10

export interface TranscriptBody {
  text: string
  segments: Segment[]
}

export interface StoredTranscript extends StoredLayout {
  body: Uint8Array
  segments: number
  /** When the last segment ends; 0 without segments. */
  endSeconds: number
}

export interface StoredLayout {
  hasWords: boolean
  hasSpeakers: boolean
  /** The size of the section without words. null: the transcript has no words, and the object is that section. */
  plainBytes: number | null
}

export const storedTranscript = (segments: Iterable<Segment>): StoredTranscript => {
  const ordered = inOrder(segments)
  const hasWords = ordered.some(({ words }) => words !== undefined && words.length > 0)
  const plain = sectionOf(ordered.map(withoutWords))
  return {
    body: hasWords ? concatenated(plain, utf8('\n'), sectionOf(ordered)) : plain,
    segments: ordered.length,
    endSeconds: ordered.at(-1)?.end ?? 0,
    hasWords,
    hasSpeakers: ordered.some(({ speaker }) => speaker !== undefined),
    plainBytes: hasWords ? plain.length : null,
  }
}

/** The text has a line end also if no segment follows. */
const sectionOf = (segments: Segment[]): Uint8Array => {
  const text = JSON.stringify(join(segments.map(({ text }) => text)))
  return utf8(`${text}\n${segments.map((segment) => JSON.stringify(segment)).join('\n')}`)
}

export interface ByteRange {
  offset: number
  length: number
}

/** Where the section with words, or the one without, is in the stored object. `length` undefined: to its end. */
export const rangeInObject = (
  { plainBytes, range }: Pick<StoredLayout, 'plainBytes'> & { range?: ByteRange | undefined },
  withWords: boolean,
): { offset: number; length?: number } => {
  const { offset, ...whole } = range ?? { offset: 0 }
  if (plainBytes === null) return { offset, ...whole }
  if (!withWords) return { offset, length: plainBytes }
  const skipped = plainBytes + 1
  return { offset: offset + skipped, ...('length' in whole && { length: whole.length - skipped }) }
}

export const readSection = (section: Uint8Array): TranscriptBody => {
  const [text = '', ...lines] = new TextDecoder().decode(section).split('\n')
  return { text: JSON.parse(text), segments: lines.filter((line) => line !== '').map((line) => JSON.parse(line)) }
}

export async function* storedSegments(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Segment> {
  for await (const segment of segmentLines(chunks)) yield* partsOf(segment)
}

export async function* storedWords(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<SegmentWord> {
  for await (const { words = [] } of segmentLines(chunks)) yield* words
}

async function* segmentLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Segment> {
  let isText = true
  for await (const line of lines(chunks)) {
    if (!isText && line !== '') yield JSON.parse(line)
    isText = false
  }
}

/** A line that arrives in many chunks is joined once, because it may have megabytes. */
async function* lines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let parts: string[] = []
  for await (const chunk of chunks) {
    const [rest = '', ...begun] = decoder.decode(chunk, { stream: true }).split('\n')
    parts.push(rest)
    for (const next of begun) {
      yield parts.join('')
      parts = [next]
    }
  }
  yield parts.join('') + decoder.decode()
}
