import type { Clip } from '../../../domain/protocol/protocol.ts'
import { SourceFailure } from '../../failures.ts'
import type { ClipStreams } from '../../source/clip/clip-ranges.ts'
import type { FileClipPlan } from '../../source/clip/file-clip.ts'
import { type FileRange, indexAt } from '../../source/index/file-ranges.ts'
import { ffprobe, input } from '../ffmpeg.ts'
import { keyAndValue, numberOf } from '../ffprobe-report.ts'
import { demuxerOf } from '../probe.ts'

/**
 * The plan was made from an index, which may be wrong, or which ffmpeg may understand in another way. So ffprobe lists the
 * packets of the clip: none may lie in a hole or before the planned start, and they must reach the clip's end. If they do
 * not, the whole file has to be downloaded.
 */
export const isClipComplete = async (
  plan: FileClipPlan,
  { startSeconds, endSeconds }: Clip,
  streams: ClipStreams,
  path: string,
  signal: AbortSignal,
): Promise<boolean> => {
  const file = { path, demuxer: await demuxerOf(path) }
  const start = plan.fileStartSeconds + Math.max(0, (startSeconds ?? 0) - SEEK_BEFORE_SECONDS)
  const end = endSeconds === null ? null : plan.fileStartSeconds + endSeconds
  const earliest = plan.fileStartSeconds + plan.earliestSeconds - START_TOLERANCE_SECONDS
  const reader = createPacketReader(plan.ranges, earliest, end)
  const interval = `${start}%${end === null ? '' : end + READ_AFTER_SECONDS}`
  const args = ['-read_intervals', interval, '-show_entries', entries, '-of', 'compact=s=|', ...input(file)]
  try {
    const { code } = await ffprobe(args, { signal, reads: [path], onStdoutLine: reader.line })
    return code === 0 && reader.isComplete(streams, end !== null && !reachesEnd(plan, endSeconds ?? 0))
  } catch (error) {
    if (error instanceof SourceFailure) return false
    throw error
  }
}

/** Where pictures are reordered, ffmpeg seeks this much earlier, ffprobe does not. */
const SEEK_BEFORE_SECONDS = 0.2
/** ffprobe does not list the packet at which it stops. */
const READ_AFTER_SECONDS = 1
/** The keyframe is decoded before it is shown. */
const START_TOLERANCE_SECONDS = 0.5
/** Streams of one file end at slightly different times, and indexes round them. */
const END_TOLERANCE_SECONDS = 1.5

const entries = 'packet=stream_index,dts_time,pts_time,pos,size:stream=index,codec_type:stream_disposition=attached_pic'

const reachesEnd = ({ mediaSeconds, ranges, fileBytes }: FileClipPlan, end: number): boolean =>
  mediaSeconds === null
    ? ranges.length === 1 && ranges[0]?.end === fileBytes
    : end >= mediaSeconds - END_TOLERANCE_SECONDS

interface Packets {
  count: number
  isIncomplete: boolean
  isPastEnd: boolean
}

const createPacketReader = (ranges: FileRange[], earliest: number, end: number | null) => {
  const packets = new Map<string, Packets>()
  const kinds = new Map<string, string>()
  const addPacket = (fields: Map<string, string>) => {
    const index = fields.get('stream_index') ?? ''
    const of = packets.get(index) ?? { count: 0, isIncomplete: false, isPastEnd: false }
    packets.set(index, of)
    const seconds = numberOf(fields, 'dts_time') ?? numberOf(fields, 'pts_time')
    if (end !== null && seconds !== null && seconds >= end) of.isPastEnd = true
    else {
      of.count++
      const isEarly = seconds !== null && seconds < earliest
      of.isIncomplete ||= isEarly || !isCovered(ranges, numberOf(fields, 'pos'), numberOf(fields, 'size') ?? 0)
    }
  }
  return {
    line: (line: string): void => {
      const [section, ...rest] = line.split('|')
      const fields = new Map(rest.map(keyAndValue))
      if (section === 'packet') addPacket(fields)
      const isPicture = fields.get('disposition:attached_pic') === '1'
      if (section === 'stream' && !isPicture) kinds.set(fields.get('index') ?? '', fields.get('codec_type') ?? '')
    },
    isComplete: ({ includeVideo, includeAudio }: ClipStreams, mustPassEnd: boolean): boolean => {
      const first = (kind: string) => [...kinds].find(([, each]) => each === kind)?.[0]
      const chosen = [includeVideo ? first('video') : undefined, includeAudio ? first('audio') : undefined]
      const found = chosen.flatMap((index) => (index === undefined ? [] : (packets.get(index) ?? [])))
      const hasPackets = found.some(({ count }) => count > 0)
      const passesEnd = !mustPassEnd || found.some(({ isPastEnd }) => isPastEnd)
      return hasPackets && passesEnd && !found.some(({ isIncomplete }) => isIncomplete)
    },
  }
}

/** A packet without a place was made by a parser from bytes around it. */
const isCovered = (ranges: FileRange[], at: number | null, bytes: number): boolean => {
  if (at === null) return true
  const range = ranges[indexAt(ranges, at)]
  return range !== undefined && range.start <= at && at + bytes <= range.end
}
