import type { TranscriptFormat } from '../../domain/words/formats.ts'
import type { Transcript } from '../transcript.ts'
import { json } from './json.ts'
import { srt } from './srt.ts'
import { txt } from './txt.ts'
import { vtt } from './vtt.ts'

const formats: Record<TranscriptFormat, (transcript: Transcript) => Iterable<string>> = { json, txt, srt, vtt }

export const contentTypes: Record<TranscriptFormat, string> = {
  json: 'application/json',
  txt: 'text/plain; charset=utf-8',
  srt: 'application/x-subrip; charset=utf-8',
  vtt: 'text/vtt; charset=utf-8',
}

/** The file, a few hundred characters at a time: an hour's transcript never exists twice in memory. */
export const format = (transcript: Transcript, as: TranscriptFormat): Iterable<string> => formats[as](transcript)
