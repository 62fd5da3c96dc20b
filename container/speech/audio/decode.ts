import { stat } from 'node:fs/promises'
import { ffmpeg, input, type MediaFile } from '../../media/ffmpeg.ts'
import { SourceFailure } from '../../source/failure.ts'
import { BYTES_PER_SAMPLE, type Pcm, SAMPLE_RATE, secondsOf } from './pcm.ts'

export interface DecodeOptions {
  /** Made here, 115 MB an hour. The caller removes it. */
  outputFile: string
  maxDurationSeconds: number
  signal: AbortSignal
  timeoutMs?: number
}

/** The first audio stream of a stranger's file, decoded once and for all. */
export const decode = async (file: MediaFile, options: DecodeOptions): Promise<Pcm> => {
  const { outputFile, maxDurationSeconds, signal, timeoutMs } = options
  const { code, stderr } = await ffmpeg(
    [
      ...[...input(file), '-map', '0:a:0', '-vn', '-sn', '-dn'],
      // Times count from the start of the media: a late start or a hole in the sound becomes silence.
      ...['-af', 'aresample=async=1:first_pts=0', '-ac', '1', '-ar', String(SAMPLE_RATE)],
      // One second more than allowed shows that there is more.
      ...['-t', String(maxDurationSeconds + 1), '-f', 's16le', outputFile],
    ],
    { signal, ...(timeoutMs && { timeoutMs }) },
  )
  if (/matches no streams/.test(stderr)) throw new SourceFailure('NO_AUDIO')
  if (code !== 0) throw cannotDecode(stderr)
  return measured(outputFile, maxDurationSeconds)
}

const measured = async (path: string, maxDurationSeconds: number): Promise<Pcm> => {
  const samples = Math.floor((await stat(path)).size / BYTES_PER_SAMPLE)
  const durationSeconds = secondsOf(samples)
  if (samples === 0) throw new SourceFailure('NO_AUDIO')
  if (durationSeconds > maxDurationSeconds) throw new SourceFailure('MEDIA_TOO_LONG')
  return { path, samples, durationSeconds }
}

const cannotDecode = (stderr: string): Error => {
  const cause = new Error(`ffmpeg: ${stderr.trim().split('\n').at(-1)}`)
  if (/No space left|Cannot allocate|Permission denied/.test(stderr)) return cause
  return new SourceFailure('SOURCE_UNSUPPORTED', undefined, { cause })
}
