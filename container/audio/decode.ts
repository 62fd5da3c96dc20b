import { stat } from 'node:fs/promises'
import { SourceFailure } from '../failures.ts'
import { ffmpeg, input, type MediaFile, sourceError } from '../media/ffmpeg.ts'
import { BYTES_PER_SAMPLE, type Pcm, SAMPLE_RATE, secondsOf } from './pcm.ts'

export interface DecodeOptions {
  /** Written here, 115 MB per hour of audio. The caller removes it. */
  outputFile: string
  maxDurationSeconds: number
  signal: AbortSignal
}

/** Decodes the first audio stream of an untrusted file. */
export const decodeAudio = async (file: MediaFile, options: DecodeOptions): Promise<Pcm> => {
  const { outputFile, maxDurationSeconds, signal } = options
  const { code, stderr } = await ffmpeg(
    [
      ...[...input(file), '-map', '0:a:0', '-vn', '-sn', '-dn'],
      // Times count from the start of the media: a late start or a gap in the audio becomes silence.
      ...['-af', 'aresample=async=1:first_pts=0', '-ac', '1', '-ar', String(SAMPLE_RATE)],
      // One second above the limit, to detect longer media.
      ...['-t', String(maxDurationSeconds + 1), '-f', 's16le', outputFile],
    ],
    { signal, reads: [file.path], writes: outputFile },
  )
  if (/matches no streams/.test(stderr)) throw new SourceFailure('NO_AUDIO')
  if (code !== 0) throw sourceError(stderr)
  return measure(outputFile, maxDurationSeconds)
}

const measure = async (path: string, maxDurationSeconds: number): Promise<Pcm> => {
  const samples = Math.floor((await stat(path)).size / BYTES_PER_SAMPLE)
  const durationSeconds = secondsOf(samples)
  if (samples === 0) throw new SourceFailure('NO_AUDIO')
  if (durationSeconds > maxDurationSeconds) throw new SourceFailure('MEDIA_TOO_LONG')
  return { path, samples, durationSeconds }
}
