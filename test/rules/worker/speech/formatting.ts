import { inOrder, type Segment } from '../../../../domain/words/segment.ts'
import { formatTranscript, type WrittenFormat } from '../../../../worker/speech/transcript-formats.ts'
import {
  type AboutTranscript,
  defaultLayout,
  type Layout,
  type Segments,
} from '../../../../worker/speech/transcript-layout.ts'

export type FileOptions = Partial<Layout> & { about?: Partial<AboutTranscript> }

export const transcript = (...rows: [number, number, string, string?][]): Segment[] =>
  inOrder(rows.map(([start, end, text, speaker]) => ({ start, end, text, ...(speaker ? { speaker } : {}) })))

export const formatted = (segments: Segments, as: WrittenFormat, { about, ...layout }: FileOptions = {}) =>
  formatTranscript(
    segments,
    as,
    { ...defaultLayout, ...layout },
    { title: null, chapters: [], hasSpeakers: hasSpeakers(segments), ...about },
  )

const hasSpeakers = (segments: Segments): boolean =>
  Array.isArray(segments) && segments.some(({ speaker }) => speaker !== undefined)

export const piecesOf = async (segments: Segment[], as: WrittenFormat, options?: FileOptions): Promise<string[]> => {
  const pieces: string[] = []
  for await (const piece of formatted(segments, as, options)) pieces.push(piece)
  return pieces
}

export const rendered = async (segments: Segment[], as: WrittenFormat, options?: FileOptions): Promise<string> =>
  (await piecesOf(segments, as, options)).join('')
