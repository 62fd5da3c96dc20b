import { ffprobe, input } from '../ffmpeg.ts'
import type { ProbedFile } from '../probe.ts'

/** Keyframes of most videos are at most ten seconds apart. Those of a screen recording may be minutes apart. */
const SEARCHED_SECONDS = [15, 150, Number.POSITIVE_INFINITY]

/** Pictures may be stored in another order than they are shown. */
const REORDERED_SECONDS = 0.5

export interface KeySearch {
  /** `V:0` for the keyframes of the picture, `a:0` for packets of sound, all of which can be decoded first. */
  stream: 'V:0' | 'a:0'
  /** The file's own time. */
  before: number
  /** The file cannot be read before this time. */
  earliest: number | null
}

/** The file's own time of the last keyframe at or before a time. null: there is none. */
export const lastKeyBefore = async (
  file: ProbedFile,
  { stream, before, earliest }: KeySearch,
  signal: AbortSignal,
): Promise<number | null> => {
  const start = Math.max(earliest ?? file.startSeconds, file.startSeconds)
  for (const searched of SEARCHED_SECONDS) {
    const from = Math.max(before - searched, start)
    const found = await lastKeyBetween(file, stream, { from, to: before }, signal)
    if (found !== null || from === start) return found
  }
  return null
}

const lastKeyBetween = async (
  file: ProbedFile,
  stream: KeySearch['stream'],
  { from, to }: { from: number; to: number },
  signal: AbortSignal,
): Promise<number | null> => {
  let last: number | null = null
  const onStdoutLine = (line: string) => {
    if (!line.includes('K')) return
    const [pts = '', dts = '', flags = ''] = line.split(',')
    // AVI has no presentation times for pictures that are reordered.
    const at = Number.parseFloat(pts === 'N/A' ? dts : pts)
    if (flags.startsWith('K') && at <= to && (last === null || at > last)) last = at
  }
  const start = from <= file.startSeconds ? '' : from.toFixed(6)
  const interval = `${start}%${(to + REORDERED_SECONDS).toFixed(6)}`
  const entries = 'packet=pts_time,dts_time,flags'
  const { code } = await ffprobe(
    [
      '-select_streams',
      stream,
      '-read_intervals',
      interval,
      '-show_entries',
      entries,
      '-of',
      'csv=p=0',
      ...input(file),
    ],
    { signal, reads: [file.path], onStdoutLine },
  )
  return code === 0 ? last : null
}
