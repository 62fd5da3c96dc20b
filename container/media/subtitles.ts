import { readFile } from 'node:fs/promises'
import { ffmpeg, input, type MediaFile } from './ffmpeg.ts'
import { toConvertCaptions } from './spending.ts'

/** Converts a subtitle file to WebVTT. null if ffmpeg cannot convert it. */
export const convertSubtitles = async (
  file: MediaFile,
  outputFile: string,
  signal: AbortSignal,
): Promise<Uint8Array | null> => {
  const args = [...input(file), '-map', '0:0', '-c:s', 'webvtt', '-f', 'webvtt', outputFile]
  const { code } = await ffmpeg(args, { signal, reads: [file.path], writes: outputFile, spends: toConvertCaptions })
  return code === 0 ? readFile(outputFile) : null
}
