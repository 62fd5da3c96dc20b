import { stat } from 'node:fs/promises'
import { ffmpeg, ffmpegError } from '../media/ffmpeg.ts'
import { toEncode } from '../media/spending.ts'
import { BYTES_PER_SAMPLE, type Pcm, SAMPLE_RATE, type SampleRange, secondsOf } from './pcm.ts'

/** How a piece is uploaded: raw samples for the built-in recognizer, Opus for providers that limit the file size. */
const encodings = {
  samples: { contentType: 'application/octet-stream', bytesPerSecond: SAMPLE_RATE * BYTES_PER_SAMPLE, headerBytes: 0 },
  /** 24 kbit/s plus 3 % Ogg overhead and a small margin. */
  opus: { contentType: 'audio/ogg', bytesPerSecond: 3_150, headerBytes: 16_384 },
} as const

export type PieceEncoding = keyof typeof encodings

/** The longest piece, in seconds, within a recognizer's limits of size and duration. */
export const longestPiece = (encoding: PieceEncoding, limits: { maxBytes: number; maxSeconds: number }): number => {
  const { bytesPerSecond, headerBytes } = encodings[encoding]
  return Math.min(limits.maxSeconds, Math.floor((limits.maxBytes - headerBytes) / bytesPerSecond))
}

/** Bytes [start, end) of a file, ready for upload. */
export interface PreparedPiece {
  path: string
  start: number
  end: number
  contentType: string
  /** The start of the piece in the recording. */
  offsetSeconds: number
  durationSeconds: number
}

export interface PieceOptions {
  encoding: PieceEncoding
  /** Where an encoded piece is written. Samples are not copied. */
  outputFile: string
  signal: AbortSignal
}

export const preparePiece = async (pcm: Pcm, range: SampleRange, options: PieceOptions): Promise<PreparedPiece> => {
  const { contentType } = encodings[options.encoding]
  const bytes =
    options.encoding === 'samples'
      ? { path: pcm.path, start: range.start * BYTES_PER_SAMPLE, end: range.end * BYTES_PER_SAMPLE }
      : await encode(pcm, range, options)
  return {
    ...bytes,
    contentType,
    offsetSeconds: secondsOf(range.start),
    durationSeconds: secondsOf(range.end - range.start),
  }
}

const encode = async (pcm: Pcm, { start, end }: SampleRange, { outputFile, signal }: PieceOptions) => {
  const { code, stderr } = await ffmpeg(
    [
      ...['-protocol_whitelist', 'file,pipe', '-f', 's16le', '-ar', String(SAMPLE_RATE), '-ac', '1'],
      ...['-ss', secondsOf(start).toFixed(6), '-t', secondsOf(end - start).toFixed(6), '-i', pcm.path],
      // A constant bitrate makes the size predictable. Level 5 takes half the time of level 10 for the same transcript.
      ...['-c:a', 'libopus', '-b:a', '24k', '-vbr', 'off', '-compression_level', '5', '-application', 'voip'],
      ...['-f', 'ogg', outputFile],
    ],
    {
      ...{ signal, reads: [pcm.path], writes: outputFile },
      spends: toEncode(secondsOf(end - start), encodings.opus.bytesPerSecond),
    },
  )
  if (code !== 0) throw ffmpegError(stderr)
  return { path: outputFile, start: 0, end: (await stat(outputFile)).size }
}
