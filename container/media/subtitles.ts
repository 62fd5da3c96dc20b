import { readFile } from 'node:fs/promises'
import { ffmpeg, input, type MediaFile } from './ffmpeg.ts'
import type { ReportedStream } from './ffprobe-report.ts'

/** A text subtitle track inside a media file. */
export interface SubtitleStream {
  /** Index among all streams of the file. */
  index: number
  language: string | null
  isDefault: boolean
  /** Contains only the foreign-language lines. */
  isForced: boolean
}

/** ffmpeg's names of text subtitle codecs. The others (PGS, VobSub, DVB) are images. */
const textCodecs = new Set(['mov_text', 'webvtt', 'subrip', 'srt', 'ass', 'ssa', 'text'])

export const textSubtitles = (streams: ReportedStream[]): SubtitleStream[] =>
  streams
    .filter(({ type, codec }) => type === 'subtitle' && codec !== null && textCodecs.has(codec))
    .map(({ index, language, isDefault, isForced }) => ({ index, language, isDefault, isForced }))

/** Converts one track of a media file, or a subtitle file's only track, to WebVTT. null if ffmpeg cannot convert it. */
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
