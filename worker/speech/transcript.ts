import { inOrder, type Segment } from '../domain/words/segment.ts'
import { join } from '../domain/words/writing.ts'
import { json } from './formats/json.ts'
import { srt } from './formats/srt.ts'
import { txt } from './formats/txt.ts'
import { vtt } from './formats/vtt.ts'

export type { Segment }

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

const formats = { json, txt, srt, vtt } satisfies Record<string, (transcript: Transcript) => Iterable<string>>

export type TranscriptFormat = keyof typeof formats
export const transcriptFormats = Object.keys(formats) as [TranscriptFormat, ...TranscriptFormat[]]

export const contentTypes: Record<TranscriptFormat, string> = {
  json: 'application/json',
  txt: 'text/plain; charset=utf-8',
  srt: 'application/x-subrip; charset=utf-8',
  vtt: 'text/vtt; charset=utf-8',
}

/** The file, a few hundred characters at a time: an hour's transcript never exists twice in memory. */
export const format = (transcript: Transcript, as: TranscriptFormat): Iterable<string> => formats[as](transcript)
