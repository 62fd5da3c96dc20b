import { z } from 'zod'
import { fromBase64Url, toBase64Url, utf8 } from '../../../../domain/encoding.ts'
import { milliseconds, partLength, type Segment } from '../../../../domain/words/segment.ts'
import { seam } from '../../../../domain/words/writing.ts'
import { startsParagraph } from '../../../speech/paragraphs.ts'
import type { Segments } from '../../../speech/transcript-layout.ts'

/** The next segment to read. `character` is above 0 if a segment was longer than a page. */
export interface Position {
  segment: number
  character: number
}

export interface PageRequest {
  from: Position
  /** Only segments that overlap these seconds. */
  startSeconds: number
  /** null: to the end of the media. */
  endSeconds: number | null
  maxCharacters: number
}

/** Reads a page. It ends with a segment: only a segment that is longer than a page is divided. */
export const readPage = async (segments: Segments, { from, startSeconds, endSeconds, maxCharacters }: PageRequest) => {
  let text = ''
  let previous: Segment | undefined
  let paragraphCharacters = 0
  let index = -1
  for await (const whole of segments) {
    index++
    if (index < from.segment || whole.end <= startSeconds) continue
    if (endSeconds !== null && whole.start >= endSeconds) break
    const skipped = index === from.segment ? from.character : 0
    const segment = { ...whole, text: whole.text.slice(skipped).trimStart() }
    const continued = previous && !startsParagraph(previous, segment, paragraphCharacters)
    const opening = continued && previous ? seam(previous.text, segment.text) : paragraphOpening(segment, text)
    if (text.length + opening.length + segment.text.length > maxCharacters) {
      if (text !== '') return { text, endSeconds: previous?.end ?? null, next: { segment: index, character: 0 } }
      const length = partLength(segment.text.slice(0, maxCharacters - opening.length))
      const next = { segment: index, character: whole.text.length - segment.text.length + length }
      return { text: `${opening}${segment.text.slice(0, length).trim()}`, endSeconds: segment.end, next }
    }
    text += opening + segment.text
    paragraphCharacters = (continued ? paragraphCharacters : 0) + segment.text.length
    previous = segment
  }
  return { text, endSeconds: previous?.end ?? null, next: null }
}

export const BEGINNING: Position = { segment: 0, character: 0 }

const paragraphOpening = ({ start, speaker }: Segment, before: string): string =>
  `${before === '' ? '' : '\n\n'}${timestamp(start)}${speaker ? `${speaker}: ` : ''}`

/** Rounded down, so that a page with this `start` begins with the paragraph. */
export const timestamp = (seconds: number): string => `[${milliseconds(Math.floor(seconds * 10) / 10)}] `

const Cursor = z.union([
  z.strictObject({
    segment: z.number().int().min(0),
    character: z.number().int().min(0),
    endSeconds: z.number().nullable(),
  }),
  z.strictObject({ part: z.number().int().min(0), query: z.string(), needed: z.number().int().min(1) }),
])
export type Cursor = z.infer<typeof Cursor>

/** Opaque to callers, and only a position in a transcript that they may read anyway, so it is not signed. */
export const cursorAt = (cursor: Cursor): string => toBase64Url(utf8(JSON.stringify(cursor)))

export const readCursor = (cursor: string): Cursor | null => {
  try {
    return Cursor.safeParse(JSON.parse(new TextDecoder().decode(fromBase64Url(cursor) ?? utf8('')))).data ?? null
  } catch {
    return null
  }
}
