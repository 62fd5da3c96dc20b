import type { Chapter } from '../../domain/protocol/protocol.ts'
import type { Segment } from '../../domain/words/segment.ts'

export type Segments = Iterable<Segment> | AsyncIterable<Segment>

/** What the caller asks for. Formats ignore what does not concern them. */
export interface Layout {
  /** Names before lines in txt, srt, vtt and md. */
  speakers: boolean
  /** Headings in txt and md. */
  chapters: boolean
  /** Columns of a line on the screen. */
  maxLineChars: number
  maxLines: number
}

/** Broadcasters' limits for subtitles: two lines of 42 columns. */
export const defaultLayout: Layout = { speakers: false, chapters: false, maxLineChars: 42, maxLines: 2 }

export interface AboutTranscript {
  title: string | null
  chapters: Chapter[]
  hasSpeakers: boolean
}
