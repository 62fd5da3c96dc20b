import type { Selection } from '../../../domain/protocol/protocol.ts'
import { milliseconds } from '../../../domain/words/segment.ts'
import { SourceFailure } from '../../failures.ts'
import type { ClipTimes } from '../../source/clip/clip-ranges.ts'
import { containerForPart } from '../containers.ts'
import { type CopyOptions, copyInto, type OutputFile, requestedStreams } from '../copy-streams.ts'
import { ffprobe, input } from '../ffmpeg.ts'
import type { ProbedFile } from '../probe.ts'

export interface CutInput {
  probed: ProbedFile
  /** The media's time at which segments start according to their playlist. null: the file starts where the media does. */
  positionSeconds: number | null
  /** The file has holes: nothing before this time of the media may be read. */
  completeFromSeconds: number | null
}

interface CutFile extends OutputFile {
  actualStartSeconds: number
}

/**
 * The clip starts at the last keyframe at or before `startSeconds`, and the sound at the same moment; without a picture,
 * with the packet of sound that is heard at `startSeconds`. It ends after the last packet that starts to be decoded before
 * `endSeconds`.
 *
 * ffmpeg's own `-ss` with `-c copy` is not exact: from a transport stream it starts at the next keyframe, and each stream
 * of an MP4 starts somewhere else. So it only seeks near the start here, and a filter drops the packets before it. Times
 * are shifted so that the start is 0.
 */
export const cutClip = async (
  inputs: CutInput[],
  { startSeconds, endSeconds }: ClipTimes,
  selection: Selection,
  options: CopyOptions,
): Promise<CutFile> => {
  const probed = inputs.map((file) => file.probed)
  const streams = requestedStreams(probed, selection)
  const chosen = [...new Set([streams.video, streams.audio])]
  const files = chosen.flatMap((file) => inputs.find(({ probed }) => probed === file) ?? [])
  const [leading] = files
  if (!leading) throw new SourceFailure('SOURCE_UNSUPPORTED')
  const cutAt = await cutTime(leading, streams.video ? 'V:0' : 'a:0', startSeconds, options.signal)
  const zeros = zeroTimes(files)
  const copy = {
    name: 'clip',
    containerFor: containerForPart,
    inputs: files.flatMap((file, index) => inputFrom(file, cutAt, zeros[index] ?? 0)),
    output: [
      // From the start of the media, all is kept: sound may start before 0, which primes its decoder.
      ...(cutAt > 0 ? ['-bsf', dropBeforeZero] : []),
      ...(endSeconds === null ? [] : ['-t', String(endSeconds - cutAt)]),
    ],
  }
  const actualStartSeconds = milliseconds(streams.video ? cutAt : startSeconds)
  return { ...(await copyInto(streams, copy, options)), actualStartSeconds }
}

/** Times are compared with this tolerance, because Matroska rounds them to milliseconds. */
const ROUNDING_SECONDS = 0.0005

/** AVI has no presentation times for pictures that are reordered. */
const dropBeforeZero = `noise=drop='lt(if(eq(pts,nopts),dts,pts)*tb,-${ROUNDING_SECONDS})'`

/** The file's own time at which the media is at 0. Segments are placed by their first picture, as players do it. */
export const zeroTime = ({ probed, positionSeconds }: CutInput): number =>
  positionSeconds === null ? probed.startSeconds : (probed.pictureStartSeconds ?? probed.startSeconds) - positionSeconds

/** Playlists round the durations of segments, differently for pictures and sound. */
export const SAME_CLOCK_SECONDS = 1

/** Two playlists of one presentation mostly have one clock, which is more exact than the sums of rounded durations. */
const zeroTimes = (files: CutInput[]): number[] => {
  const [first, ...others] = files
  if (!first) return []
  const zero = zeroTime(first)
  const zeroOf = (other: CutInput) => {
    const own = zeroTime(other)
    const hasClock = /^(mpegts|mov|matroska)$/.test(other.probed.demuxer)
    const areSegments = first.positionSeconds !== null && other.positionSeconds !== null
    const isSame = hasClock && areSegments && other.probed.demuxer === first.probed.demuxer
    return isSame && Math.abs(own - zero) < SAME_CLOCK_SECONDS ? zero : own
  }
  return [zero, ...others.map(zeroOf)]
}

const cutTime = async (file: CutInput, stream: KeySearch['stream'], startSeconds: number, signal: AbortSignal) => {
  if (startSeconds <= 0) return 0
  const key = await lastKeyBefore(file.probed, keySearch(file, stream, startSeconds), signal)
  // Media whose first picture is later starts with its sound.
  return key === null ? startSeconds : Math.max(0, key - zeroTime(file))
}

export const hasKeyframeBefore = async (file: CutInput, startSeconds: number, signal: AbortSignal): Promise<boolean> =>
  !file.probed.video || (await lastKeyBefore(file.probed, keySearch(file, 'V:0', startSeconds), signal)) !== null

const keySearch = (file: CutInput, stream: KeySearch['stream'], startSeconds: number): KeySearch => {
  const { completeFromSeconds } = file
  const zero = zeroTime(file)
  const earliest = completeFromSeconds === null ? null : completeFromSeconds + zero
  return { stream, before: startSeconds + zero + ROUNDING_SECONDS, earliest }
}

/** Without an index, ffmpeg seeks to a packet near the time, which may be after the keyframe. */
const SEEK_MARGIN_SECONDS = 2

/** If pictures are reordered, ffmpeg seeks to 0.13 s before a time. In Matroska it would then read within the hole. */
const REORDERING_SECONDS = 0.14

const inputFrom = (file: CutInput, cutAt: number, zero: number): string[] => {
  const { probed, positionSeconds, completeFromSeconds } = file
  // Segments start just before the clip, and their times may jump.
  const isSeekable = positionSeconds === null && cutAt > 0
  const seek = isSeekable ? seekTime(probed, cutAt, completeFromSeconds) + zero : 0
  const offset = seek - cutAt - zero
  const to = isSeekable ? ['-ss', seek.toFixed(6)] : []
  return ['-seek_timestamp', '1', ...to, '-itsoffset', offset.toFixed(6), ...input(probed)]
}

const seekTime = ({ demuxer, video }: ProbedFile, cutAt: number, completeFromSeconds: number | null): number => {
  const early = Math.max(0, cutAt - SEEK_MARGIN_SECONDS)
  if (completeFromSeconds === null || early >= completeFromSeconds) return early
  const reordering = demuxer === 'matroska' && video ? REORDERING_SECONDS : 0
  return completeFromSeconds + ROUNDING_SECONDS + reordering
}

/** Keyframes of most videos are at most ten seconds apart. Those of a screen recording may be minutes apart. */
const SEARCHED_SECONDS = [15, 150, Number.POSITIVE_INFINITY]

/** Pictures may be stored in another order than they are shown. */
const REORDERED_SECONDS = 0.5

interface KeySearch {
  /** `V:0` for the keyframes of the picture, `a:0` for packets of sound, all of which can be decoded first. */
  stream: 'V:0' | 'a:0'
  before: number
  /** The file cannot be read before this time. */
  earliest: number | null
}

const lastKeyBefore = async (file: ProbedFile, { stream, before, earliest }: KeySearch, signal: AbortSignal) => {
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
  const shown = ['-show_entries', 'packet=pts_time,dts_time,flags', '-of', 'csv=p=0']
  const args = ['-select_streams', stream, '-read_intervals', interval, ...shown, ...input(file)]
  const { code } = await ffprobe(args, { signal, reads: [file.path], onStdoutLine })
  return code === 0 ? last : null
}
