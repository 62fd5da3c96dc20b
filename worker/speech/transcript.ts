import { inOrder, type Segment } from '../domain/words/segment.ts'
import { join } from '../domain/words/writing.ts'

/** What every route ends in, whoever found the words. */
export interface Transcript {
  text: string
  source: string
  /** BCP 47; 'und' where nobody could tell. */
  language: string
  /** Of the media, in seconds. */
  duration: number
  segments: Segment[]
}

export const toTranscript = (
  segments: Iterable<Segment>,
  { source, language, duration }: Pick<Transcript, 'source' | 'language' | 'duration'>,
): Transcript => {
  const ordered = inOrder(segments)
  return { text: join(ordered.map(({ text }) => text)), source, language, duration, segments: ordered }
}
