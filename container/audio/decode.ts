import { stat } from 'node:fs/promises'
import { SourceFailure } from '../failures.ts'
import { ffmpeg, input, type MediaFile, sourceError } from '../media/ffmpeg.ts'
import type { Spending } from '../media/spending.ts'

/** Audio in the format that speech recognition needs: a headerless file of 16 kHz mono, 16-bit little-endian samples. */
export interface Pcm {
  path: string
  samples: number
  durationSeconds: number
}

export const SAMPLE_RATE = 16_000
export const BYTES_PER_SAMPLE = 2

export interface SampleRange {
  start: number
  end: number
}

export const secondsOf = (samples: number): number => samples / SAMPLE_RATE

export interface DecodedPart {
  startSeconds: number
  durationSeconds: number | null
}

export interface DecodeOptions {
  /** Written here, 115 MB per hour of audio. The caller removes it. */
  outputFile: string
  seconds: number
  part?: DecodedPart | undefined
  spends: Spending
  signal: AbortSignal
}

export const decodeAudio = async (file: MediaFile, options: DecodeOptions): Promise<Pcm> => {
  const { outputFile, part, spends, signal } = options
  const from = part ? ['-seek_timestamp', '1', '-ss', part.startSeconds.toFixed(6)] : []
  const seconds = Math.min(options.seconds, part?.durationSeconds ?? Number.POSITIVE_INFINITY)
  const { code, stderr } = await ffmpeg(
    [
      ...[...from, ...input(file), '-map', '0:a:0', '-vn', '-sn', '-dn'],
      // Times count from the start of the media, or of the part: a late start or a gap in the audio becomes silence.
      ...['-af', 'aresample=async=1:first_pts=0', '-ac', '1', '-ar', String(SAMPLE_RATE)],
      ...['-t', seconds.toFixed(6), '-f', 's16le', outputFile],
    ],
    { signal, reads: [file.path], writes: outputFile, spends },
  )
  if (/matches no streams/.test(stderr)) throw new SourceFailure('NO_AUDIO')
  if (code !== 0) throw sourceError(stderr)
  const samples = Math.floor((await stat(outputFile)).size / BYTES_PER_SAMPLE)
  if (samples === 0) throw new SourceFailure('NO_AUDIO')
  return { path: outputFile, samples, durationSeconds: secondsOf(samples) }
}
