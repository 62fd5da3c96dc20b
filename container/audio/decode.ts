import { stat } from 'node:fs/promises'
import { SourceFailure } from '../failures.ts'
import { ffmpeg, input, type MediaFile, sourceError } from '../media/ffmpeg.ts'
import { BYTES_PER_SAMPLE, type Pcm, SAMPLE_RATE, secondsOf } from './pcm.ts'

export interface DecodeOptions {
  /** Written here, 115 MB per hour of audio. The caller removes it. */
  outputFile: string
  maxDurationSeconds: number
  /** Only this part of the file, in the file's own time. */
  part?: { startSeconds: number; durationSeconds: number | null } | null
  signal: AbortSignal
}

/** Decodes the first audio stream of an untrusted file. */
export const decodeAudio = async (file: MediaFile, options: DecodeOptions): Promise<Pcm> => {
  const { outputFile, maxDurationSeconds, part = null, signal } = options
  const from = part ? ['-seek_timestamp', '1', '-ss', part.startSeconds.toFixed(6)] : []
  // One second above the limit, to detect longer media.
  const seconds = part?.durationSeconds ?? maxDurationSeconds + 1
  const { code, stderr } = await ffmpeg(
    [
      ...[...from, ...input(file), '-map', '0:a:0', '-vn', '-sn', '-dn'],
      // Times count from the start of the media, or of the part: a late start or a gap in the audio becomes silence.
      ...['-af', 'aresample=async=1:first_pts=0', '-ac', '1', '-ar', String(SAMPLE_RATE)],
      ...['-t', seconds.toFixed(6), '-f', 's16le', outputFile],
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
