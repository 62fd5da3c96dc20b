import { open } from 'node:fs/promises'
import type { Chapter } from '../../domain/protocol/protocol.ts'
import { milliseconds } from '../../domain/words/segment.ts'
import { SourceFailure } from '../failures.ts'
import { isMedia, sniff } from '../source/sniff.ts'
import { demuxers, ffprobe, input, MAX_PIXELS, type MediaFile } from './ffmpeg.ts'
import { createReportReader, type FfprobeReport, type ReportedStream } from './ffprobe-report.ts'

export interface ProbedFile extends MediaFile {
  sizeBytes: number
  extension: string
  durationSeconds: number
  video: VideoStream | null
  audio: AudioStream | null
  /** When the first stream starts, in the file's own time. */
  startSeconds: number
  /** When the first picture starts. null: there is none, or the file does not say. */
  pictureStartSeconds: number | null
  coverStream: number | null
  /** ffmpeg has estimated the duration from the first packets: the file does not state it. */
  durationIsEstimate: boolean
  title: string | null
  chapters: Chapter[]
}

interface VideoStream {
  codec: string
  width: number
  height: number
}

export interface AudioStream {
  codec: string
  language: string | null
  sampleRate: number
  channels: number
}

const entries = [
  'format=format_name,duration,start_time',
  'format_tags=major_brand,title',
  'chapter=start_time,end_time',
  'chapter_tags=title',
  'stream=index,codec_type,codec_name,width,height,sample_rate,channels,start_time,duration',
  'stream_disposition=attached_pic',
  'stream_tags=language',
  'stream_side_data=rotation',
  'packet=stream_index,pts_time,duration_time',
].join(':')

/**
 * Checks in the same run that the file is complete: ffprobe seeks past the end, where a complete file returns its last
 * packets. A truncated file returns none, or ones long before its stated duration. `endUnknown` skips the check, for
 * concatenated segments and partial files.
 */
export const probe = async (
  path: string,
  signal: AbortSignal,
  { endUnknown }: { endUnknown?: boolean } = {},
): Promise<ProbedFile> => {
  const head = await readHead(path)
  const reader = createReportReader()
  const demuxer = demuxerIn(head)
  const interval = endUnknown ? '%+#1' : '9999999%'
  const file = { path, demuxer }
  // The index of an MP4 has all packets. ffprobe would return those since the last keyframe, which may be hundreds.
  const seeking = demuxer === 'mov' ? ['-seek2any', '1'] : []
  const shown = ['-read_intervals', interval, '-show_entries', entries, '-of', 'compact=s=|']
  const args = [...seeking, ...shown, ...input(file)]
  const { code, stderr } = await ffprobe(args, { signal, reads: [path], onStdoutLine: reader.line })
  if (code !== 0)
    throw new SourceFailure(/moov atom not found/.test(stderr) ? 'SOURCE_TRUNCATED' : 'SOURCE_UNSUPPORTED')
  const report = reader.report()
  const facts = { ...factsOf(file, report, head), durationIsEstimate: isEstimated(stderr) }
  if (endUnknown) return { ...facts, durationSeconds: milliseconds(report.duration ?? 0) }
  if (/partial file/i.test(stderr) || head.isShort || endsEarly(report, stderr)) {
    throw new SourceFailure('SOURCE_TRUNCATED')
  }
  return { ...facts, durationSeconds: durationOf(report, stderr) }
}

export const probePackets = async (path: string, signal: AbortSignal) => {
  const demuxer = await demuxerOf(path)
  const reader = createReportReader()
  const args = ['-show_entries', `${entries},pos`, '-of', 'compact=s=|', ...input({ path, demuxer })]
  // The last packet is cut off, which is an error.
  await ffprobe(args, { signal, reads: [path], onStdoutLine: reader.line })
  const { start, lastPacketEnd, firstByte } = reader.report()
  return { seconds: Math.max(0, (lastPacketEnd ?? start) - start), firstByte: firstByte ?? 0 }
}

export const demuxerOf = async (path: string): Promise<string> => demuxerIn(await readHead(path))

const demuxerIn = ({ bytes }: Head): string => {
  const kind = sniff(bytes)
  if (isMedia(kind)) return demuxers[kind]
  throw new SourceFailure(bytes.length === 0 ? 'SOURCE_TRUNCATED' : 'SOURCE_UNSUPPORTED')
}

const factsOf = (file: MediaFile, report: FfprobeReport, head: Head) => {
  const video = report.streams.find(({ type, attached }) => type === 'video' && !attached)
  const audio = report.streams.find(({ type, codec }) => type === 'audio' && codec !== null)
  if (!video && !audio) throw new SourceFailure('SOURCE_UNSUPPORTED')
  const streams = {
    video: video ? videoStream(video) : null,
    audio: audio?.codec ? audioStream(audio, audio.codec) : null,
  }
  return {
    ...file,
    ...streams,
    sizeBytes: head.sizeBytes,
    startSeconds: report.start,
    pictureStartSeconds: video?.start ?? null,
    extension: extensionOf(report, head, streams),
    coverStream: report.streams.find(({ attached }) => attached)?.index ?? null,
    title: report.title || null,
    chapters: report.chapters,
  }
}

const audioStream = ({ language, sampleRate, channels }: ReportedStream, codec: string): AudioStream => ({
  codec,
  language,
  // Where ffprobe does not know them, the most that players usually have.
  sampleRate: sampleRate || 48_000,
  channels: channels || 2,
})

const videoStream = ({ codec, width, height, rotation }: ReportedStream): VideoStream => {
  const tooLarge = width * height > MAX_PIXELS
  if (codec === null || width === 0 || height === 0 || tooLarge) throw new SourceFailure('SOURCE_UNSUPPORTED')
  return Math.abs(rotation) % 180 === 90 ? { codec, width: height, height: width } : { codec, width, height }
}

/** ffmpeg estimates the duration of a file that has neither an index nor a stated duration. */
const isEstimated = (stderr: string): boolean => /Estimating duration from bitrate/.test(stderr)

const durationOf = (report: FfprobeReport, stderr: string): number => {
  const ended = report.lastPacketEnd === null ? null : report.lastPacketEnd - report.start
  const duration = isEstimated(stderr) ? (ended ?? report.duration) : (report.duration ?? ended)
  if (duration === null || duration <= 0)
    throw new SourceFailure(isSilentHeader(report) ? 'NO_AUDIO' : 'SOURCE_UNSUPPORTED')
  return milliseconds(duration)
}

const isSilentHeader = ({ streams, lastPacketEnd }: FfprobeReport): boolean =>
  lastPacketEnd === null && streams.length > 0 && streams.every(({ type }) => type === 'audio')

/** In these formats a seek past the end may return no packet although the file is complete. */
const noPacketsAtEnd = /^(wav|flv)$/

/** So many frames may come before one that is shown earlier, in H.264 and HEVC. The last packet is then not the last frame. */
const REORDERED_FRAMES = 16

const endsEarly = (report: FfprobeReport, stderr: string): boolean => {
  if (report.duration === null || isEstimated(stderr)) return false
  if (report.lastPacketEnd === null) return !noPacketsAtEnd.test(report.format)
  const reorderedSeconds = REORDERED_FRAMES * report.longestPacketSeconds
  const tolerance = Math.min(Math.max(1, report.duration * 0.01, reorderedSeconds), report.duration / 2)
  return report.lastPacketEnd < report.start + report.duration - tolerance
}

const HEAD_BYTES = 4_096

interface Head {
  bytes: Buffer
  sizeBytes: number
  isShort: boolean
}

const readHead = async (path: string): Promise<Head> => {
  const file = await open(path)
  try {
    const { size: sizeBytes } = await file.stat()
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    const bytes = buffer.subarray(0, bytesRead)
    const riff = bytes.length >= 12 && bytes.toString('latin1', 0, 4) === 'RIFF'
    // Streaming recorders do not know the size and write 0 or the largest number.
    const announced = riff ? bytes.readUInt32LE(4) : 0
    const isShort = announced > 0 && announced < 0xffff_ff00 && announced + 8 > sizeBytes + 1
    return { bytes, sizeBytes, isShort }
  } finally {
    await file.close()
  }
}

const extensionOf = (
  { format, brand }: FfprobeReport,
  { bytes }: Head,
  streams: Pick<ProbedFile, 'video' | 'audio'>,
): string => {
  const hasVideo = streams.video !== null
  if (format.startsWith('mov,')) {
    if (!hasVideo) return 'm4a'
    return brand.startsWith('qt') ? 'mov' : brand.startsWith('3g') ? '3gp' : 'mp4'
  }
  // ffprobe reports WebM and Matroska under the same format name.
  if (format.startsWith('matroska')) return sniff(bytes) === 'webm' ? 'webm' : hasVideo ? 'mkv' : 'mka'
  if (format === 'ogg') return hasVideo ? 'ogv' : streams.audio?.codec === 'opus' ? 'opus' : 'ogg'
  return format === 'mpegts' ? 'ts' : format
}
