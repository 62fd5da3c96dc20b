import { readFile } from 'node:fs/promises'
import { ffmpeg, input, type MediaFile } from './ffmpeg.ts'
import type { ReportedStream } from './ffprobe-report.ts'

/** A track of text inside a film. */
export interface SubtitleStream {
  /** Among all streams of the file. */
  index: number
  language: string | null
  isDefault: boolean
  /** Only the lines in a foreign language. */
  isForced: boolean
}

/** ffmpeg's names for what has words in it. All others (PGS, VobSub, DVB) are pictures of words. */
const textCodecs = new Set(['mov_text', 'webvtt', 'subrip', 'srt', 'ass', 'ssa', 'text'])

export const textSubtitles = (streams: ReportedStream[]): SubtitleStream[] =>
  streams
    .filter(({ type, codec }) => type === 'subtitle' && codec !== null && textCodecs.has(codec))
    .map(({ index, language, isDefault, isForced }) => ({ index, language, isDefault, isForced }))

/** One of a film's tracks, or the only one of a subtitle file, as WebVTT; null where ffmpeg can't. */
export const extractSubtitles = async (
  file: MediaFile,
  index: number,
  outputFile: string,
  signal: AbortSignal,
): Promise<Uint8Array | null> => {
  const args = [...input(file), '-map', `0:${index}`, '-c:s', 'webvtt', '-f', 'webvtt', outputFile]
  const { code } = await ffmpeg(args, { signal })
  return code === 0 ? readFile(outputFile) : null
}
