import { type FileHandle, open } from 'node:fs/promises'
import { SourceFailure } from '../source/failure.ts'
import { sniff } from '../source/sniff.ts'
import { demuxerFor, ffprobe, input, MAX_PIXELS, type MediaFile } from './ffmpeg.ts'
import { createReportReader, type Report } from './ffprobe-report.ts'
import { type SubtitleStream, textSubtitles } from './subtitles.ts'

/** What a file really is, whatever its source said. */
export interface Probed extends MediaFile {
  /** Extension without the dot. */
  extension: string
  durationSeconds: number
  video: VideoStream | null
  audio: AudioStream | null
  /** Those that are text. */
  subtitles: SubtitleStream[]
  /** The index of an embedded picture, such as a record's cover. */
  coverStream: number | null
}

export interface VideoStream {
  codec: string
  /** As shown, after rotation. */
  width: number
  height: number
}

export interface AudioStream {
  codec: string
  language: string | null
}

const entries = [
  'format=format_name,duration,start_time',
  'format_tags=major_brand',
  'stream=index,codec_type,codec_name,width,height,start_time,duration',
  'stream_disposition=attached_pic,default,forced',
  'stream_tags=language',
  'stream_side_data=rotation',
  'packet=stream_index,pts_time,duration_time',
].join(':')

export interface ProbeOptions {
  /** Segments that were put one after the other, or the first bytes only: the end and the duration say nothing. */
  endUnknown?: boolean
}

/**
 * One run tells what is in the file and whether its end is there: it seeks behind the end, where a file
 * that is whole has its last packets, and one that was cut has none or ends long before its own duration.
 */
export const probe = async (path: string, signal: AbortSignal, { endUnknown }: ProbeOptions = {}): Promise<Probed> => {
  const head = await readHead(path)
  const reader = createReportReader()
  const demuxer = demuxerFor(head.bytes)
  if (!demuxer) throw new SourceFailure(head.bytes.length === 0 ? 'SOURCE_TRUNCATED' : 'SOURCE_UNSUPPORTED')
  const interval = endUnknown ? '%+#1' : '9999999%'
  const file = { path, demuxer }
  const args = ['-read_intervals', interval, '-show_entries', entries, '-of', 'compact=s=|', ...input(file)]
  const { code, stderr } = await ffprobe(args, { signal, onStdoutLine: reader.line })
  if (code !== 0)
    throw new SourceFailure(/moov atom not found/.test(stderr) ? 'SOURCE_TRUNCATED' : 'SOURCE_UNSUPPORTED')
  const report = reader.report()
  const facts = factsOf(file, report, head)
  if (endUnknown) return { ...facts, durationSeconds: milliseconds(report.duration ?? 0) }
  if (/partial file/i.test(stderr) || head.isShort || endsEarly(report, stderr)) {
    throw new SourceFailure('SOURCE_TRUNCATED')
  }
  return { ...facts, durationSeconds: durationOf(report, stderr) }
}

const factsOf = (file: MediaFile, report: Report, head: Head): Omit<Probed, 'durationSeconds'> => {
  const pictures = report.streams.filter(({ type, attached }) => type === 'video' && !attached)
  const video = pictures[0]
  const audio = report.streams.find(({ type, codec }) => type === 'audio' && codec !== null)
  if (!video && !audio) throw new SourceFailure('SOURCE_UNSUPPORTED')
  const streams = {
    video: video ? videoStream(video) : null,
    audio: audio?.codec ? audioStream(audio, audio.codec) : null,
  }
  return {
    ...file,
    ...streams,
    subtitles: textSubtitles(report.streams),
    extension: extensionOf(report, head, streams),
    coverStream: report.streams.find(({ attached }) => attached)?.index ?? null,
  }
}

const audioStream = ({ language }: Report['streams'][number], codec: string): AudioStream => ({ codec, language })

const videoStream = ({ codec, width, height, rotation }: Report['streams'][number]): VideoStream => {
  const tooLarge = width * height > MAX_PIXELS
  if (codec === null || width === 0 || height === 0 || tooLarge) throw new SourceFailure('SOURCE_UNSUPPORTED')
  return Math.abs(rotation) % 180 === 90 ? { codec, width: height, height: width } : { codec, width, height }
}

/** Where a file without an index says nothing of its length, ffmpeg guesses from the bitrate. */
const isGuessed = (stderr: string): boolean => /Estimating duration from bitrate/.test(stderr)

const durationOf = (report: Report, stderr: string): number => {
  const ended = report.lastPacketEnd === null ? null : report.lastPacketEnd - report.start
  const duration = isGuessed(stderr) ? (ended ?? report.duration) : (report.duration ?? ended)
  if (duration === null || duration <= 0) throw new SourceFailure('SOURCE_UNSUPPORTED')
  return milliseconds(duration)
}

const milliseconds = (seconds: number) => Math.round(seconds * 1000) / 1000

/** In these a seek behind the end may find no packet although the file is whole. */
const noPacketsAtEnd = /^(wav|flv)$/

const endsEarly = (report: Report, stderr: string): boolean => {
  if (report.duration === null || isGuessed(stderr)) return false
  if (report.lastPacketEnd === null) return !noPacketsAtEnd.test(report.format)
  const tolerance = Math.min(Math.max(1, report.duration * 0.01), report.duration / 2)
  return report.lastPacketEnd < report.start + report.duration - tolerance
}

/** Enough for every signature. */
const HEAD_BYTES = 4_096

interface Head {
  bytes: Buffer
  /** The file is shorter than its own header says. */
  isShort: boolean
}

const readHead = async (path: string): Promise<Head> => {
  const file = await open(path)
  try {
    return await headOf(file)
  } finally {
    await file.close()
  }
}

const headOf = async (file: FileHandle): Promise<Head> => {
  const { size } = await file.stat()
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
  const bytes = buffer.subarray(0, bytesRead)
  const riff = bytes.length >= 12 && bytes.toString('latin1', 0, 4) === 'RIFF'
  // Recorders that stream write 0 or the largest number instead of a size that they do not know.
  const announced = riff ? bytes.readUInt32LE(4) : 0
  const isShort = announced > 0 && announced < 0xffff_ff00 && announced + 8 > size + 1
  return { bytes, isShort }
}

const extensionOf = ({ format, brand }: Report, { bytes }: Head, streams: Pick<Probed, 'video' | 'audio'>): string => {
  const film = streams.video !== null
  if (format.startsWith('mov,')) {
    if (!film) return 'm4a'
    return brand.startsWith('qt') ? 'mov' : brand.startsWith('3g') ? '3gp' : 'mp4'
  }
  // ffprobe does not tell WebM from the Matroska that it is made of.
  if (format.startsWith('matroska')) return sniff(bytes) === 'webm' ? 'webm' : film ? 'mkv' : 'mka'
  if (format === 'ogg') return film ? 'ogv' : streams.audio?.codec === 'opus' ? 'opus' : 'ogg'
  return format === 'mpegts' ? 'ts' : format
}
