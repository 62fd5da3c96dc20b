import { MAX_PART_CHARACTERS, partsOf, type Segment } from '../words/segment.ts'
import { seam } from '../words/writing.ts'

/** What a search finds: enough speech for the words of one thought. */
export interface Passage {
  start: number
  end: number
  speaker?: string
  text: string
  /** Where each segment begins in the text, and when. A title has none. */
  starts: [at: number, start: number][]
}

const MAX_SECONDS = 30

/**
 * A passage is a segment, or short ones in a row of one speaker. Captions of strangers may have any number of characters
 * in a second, so no passage is longer than a part of a segment.
 */
export async function* passagesOf(segments: AsyncIterable<Segment>): AsyncGenerator<Passage> {
  let open: Draft | null = null
  for await (const segment of segments) {
    for (const part of partsOf(segment)) {
      if (part.text === '') continue
      if (open !== null && continues(open, part)) add(open, part)
      else {
        if (open !== null) yield passageOf(open)
        open = draftOf(part)
      }
    }
  }
  if (open !== null) yield passageOf(open)
}

/** The title of a job, which is found at the beginning of its media. */
export const titlePassage = (title: string, durationSeconds: number): Passage => ({
  start: 0,
  end: durationSeconds,
  text: title,
  starts: [],
})

/** The start of the segment that has this place of the text. */
export const startAt = ({ starts, start }: Pick<Passage, 'starts' | 'start'>, at: number): number =>
  starts.findLast(([from]) => from <= at)?.[1] ?? start

/** A passage that may get more segments. Their texts are joined once, at the end. */
interface Draft extends Omit<Passage, 'text'> {
  pieces: string[]
  length: number
}

const draftOf = ({ start, end, speaker, text }: Segment): Draft => ({
  start,
  end,
  ...(speaker === undefined ? {} : { speaker }),
  starts: [[0, start]],
  pieces: [text],
  length: text.length,
})

const continues = (open: Draft, { end, speaker, text }: Segment): boolean =>
  speaker === open.speaker && end - open.start <= MAX_SECONDS && open.length + 1 + text.length <= MAX_PART_CHARACTERS

const add = (open: Draft, { start, end, text }: Segment): void => {
  const separator = seam(open.pieces.at(-1) ?? '', text)
  const at = open.length + separator.length
  open.starts.push([at, start])
  open.pieces.push(separator, text)
  open.length = at + text.length
  open.end = Math.max(open.end, end)
}

const passageOf = ({ pieces, length: _, ...passage }: Draft): Passage => ({ ...passage, text: pieces.join('') })
