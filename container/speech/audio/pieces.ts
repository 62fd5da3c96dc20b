import { stat } from 'node:fs/promises'
import { ffmpeg } from '../../media/ffmpeg.ts'
import { BYTES_PER_SAMPLE, type Pcm, SAMPLE_RATE, type Stretch, secondsOf } from './pcm.ts'

/** How a piece travels: as the samples that our own engine takes, or small, to services that weigh it. */
export const encodings = {
  samples: { contentType: 'application/octet-stream', bytesPerSecond: SAMPLE_RATE * BYTES_PER_SAMPLE, headBytes: 0 },
  /** 24 kbit/s and Ogg's own 3 %, with a little to spare. */
  opus: { contentType: 'audio/ogg', bytesPerSecond: 3_150, headBytes: 16_384 },
} as const

export type Encoding = keyof typeof encodings

/** The longest piece that keeps both of a service's limits. */
export const longestPiece = (encoding: Encoding, limits: { maxBytes: number; maxSeconds: number }): number => {
  const { bytesPerSecond, headBytes } = encodings[encoding]
  return Math.min(limits.maxSeconds, Math.floor((limits.maxBytes - headBytes) / bytesPerSecond))
}

/** Bytes [start, end) of a file, ready to be sent. */
export interface PreparedPiece {
  path: string
  start: number
  end: number
  contentType: string
  /** Where in the recording it begins. */
  offsetSeconds: number
  durationSeconds: number
}

export interface PieceOptions {
  encoding: Encoding
  /** Where an encoded piece is put; samples stay where they are. */
  outputFile: string
  signal: AbortSignal
}

export const preparePiece = async (pcm: Pcm, stretch: Stretch, options: PieceOptions): Promise<PreparedPiece> => {
  const { contentType } = encodings[options.encoding]
  const bytes =
    options.encoding === 'samples'
      ? { path: pcm.path, start: stretch.start * BYTES_PER_SAMPLE, end: stretch.end * BYTES_PER_SAMPLE }
      : await encode(pcm, stretch, options)
  return {
    ...bytes,
    contentType,
    offsetSeconds: secondsOf(stretch.start),
    durationSeconds: secondsOf(stretch.end - stretch.start),
  }
}

const encode = async (pcm: Pcm, { start, end }: Stretch, { outputFile, signal }: PieceOptions) => {
  const { code, stderr } = await ffmpeg(
    [
      ...['-protocol_whitelist', 'file,pipe', '-f', 's16le', '-ar', String(SAMPLE_RATE), '-ac', '1'],
      ...['-ss', secondsOf(start).toFixed(6), '-t', secondsOf(end - start).toFixed(6), '-i', pcm.path],
      // A constant rate: the size is known before. Level 5 takes half the time of level 10 for the same words.
      ...['-c:a', 'libopus', '-b:a', '24k', '-vbr', 'off', '-compression_level', '5', '-application', 'voip'],
      ...['-f', 'ogg', outputFile],
    ],
    { signal },
  )
  if (code !== 0) throw new Error(`ffmpeg: ${stderr.trim().split('\n').at(-1)}`)
  return { path: outputFile, start: 0, end: (await stat(outputFile)).size }
}
