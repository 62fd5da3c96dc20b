import type { Chapter } from '../../domain/protocol/protocol.ts'
import { collapse } from '../../domain/words/writing.ts'
import { maxTitleCharacters, shortened } from '../source/source.ts'

export type FfprobeReport = ReturnType<ReturnType<typeof createReportReader>['report']>
export type ReportedStream = ReturnType<typeof streamOf>

const maxChapters = 1_000

/** ffprobe's compact output, parsed line by line: as JSON, the packets of a long file would not fit in memory. */
export const createReportReader = () => {
  const streams = new Map<number, ReportedStream>()
  const lastPackets = new Map<number, LastPackets>()
  const chapters: Chapter[] = []
  let firstByte: number | null = null
  let format = new Map<string, string>()
  const read: Record<string, (fields: Map<string, string>) => void> = {
    stream: (fields) => streams.set(numberOf(fields, 'index') ?? 0, streamOf(fields)),
    format: (fields) => {
      format = fields
    },
    chapter: (fields) => {
      if (chapters.length < maxChapters) chapters.push(chapterOf(fields))
    },
    packet: (fields) => {
      const index = numberOf(fields, 'stream_index') ?? 0
      const seconds = numberOf(fields, 'duration_time') ?? 0
      const end = (numberOf(fields, 'pts_time') ?? 0) + seconds
      const before = lastPackets.get(index)
      lastPackets.set(index, {
        end: Math.max(end, before?.end ?? 0),
        longestSeconds: Math.max(seconds, before?.longestSeconds ?? 0),
      })
      const at = numberOf(fields, 'pos')
      if (at !== null) firstByte = Math.min(at, firstByte ?? at)
    },
  }
  return {
    line: (line: string): void => {
      const [section = '', ...fields] = fieldsOf(line)
      // A name that every object has, such as `__defineGetter__`, is not a section.
      if (Object.hasOwn(read, section)) read[section]?.(new Map(fields.map(keyAndValue)))
    },
    report: () => ({ ...reportOf(format, [...streams.values()], lastPackets), chapters, firstByte }),
  }
}

interface LastPackets {
  end: number
  longestSeconds: number
}

const reportOf = (format: Map<string, string>, streams: ReportedStream[], lastPackets: Map<number, LastPackets>) => {
  // Subtitles and chapters may end after the last frame, and cover art has no useful end.
  const played = streams.filter(({ type, attached }) => (type === 'video' && !attached) || type === 'audio')
  const packets = played.map(({ index }) => lastPackets.get(index)).filter((each) => each !== undefined)
  const start = numberOf(format, 'start_time') ?? 0
  const durations = played.map(({ duration }) => duration).filter((duration) => duration !== null)
  const known = played.length > 0 && durations.length === played.length
  return {
    format: format.get('format_name') ?? '',
    brand: format.get('tag:major_brand') ?? '',
    title: title(format),
    start,
    duration: known ? Math.max(...durations) : numberOf(format, 'duration'),
    streams,
    lastPacketEnd: packets.length > 0 ? Math.max(...packets.map(({ end }) => end)) : null,
    longestPacketSeconds: Math.max(0, ...packets.map(({ longestSeconds }) => longestSeconds)),
  }
}

const streamOf = (fields: Map<string, string>) => ({
  index: numberOf(fields, 'index') ?? 0,
  type: fields.get('codec_type') ?? '',
  codec: known(fields.get('codec_name')),
  width: numberOf(fields, 'width') ?? 0,
  height: numberOf(fields, 'height') ?? 0,
  /** 0: unknown, or the stream has no sound. */
  sampleRate: numberOf(fields, 'sample_rate') ?? 0,
  channels: numberOf(fields, 'channels') ?? 0,
  start: numberOf(fields, 'start_time'),
  duration: numberOf(fields, 'duration'),
  /** A still picture inside the file, such as cover art. */
  attached: fields.get('disposition:attached_pic') === '1',
  language: fields.get('tag:language') ?? null,
  // FFmpeg names the section of the field since version 6.
  rotation: numberOf(fields, 'side_datum/display_matrix:rotation') ?? numberOf(fields, 'rotation') ?? 0,
})

const chapterOf = (fields: Map<string, string>): Chapter => ({
  title: title(fields),
  startSeconds: numberOf(fields, 'start_time') ?? 0,
  endSeconds: numberOf(fields, 'end_time') ?? 0,
})

const title = (fields: Map<string, string>): string =>
  shortened(collapse(fields.get('tag:title') ?? ''), maxTitleCharacters) ?? ''

/** Only tags may contain a backslash, which escapes the separator, line ends and itself. */
const fieldsOf = (line: string): string[] =>
  line.includes('\\') ? (line.match(/(?:[^|\\]|\\.)+/g) ?? []).map(unescaped) : line.split('|')

const escapes: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r' }

const unescaped = (field: string): string =>
  field.replace(
    /\\(.)/g,
    (_, character: string) => (Object.hasOwn(escapes, character) ? escapes[character] : character) ?? '',
  )

export const keyAndValue = (field: string): [string, string] => {
  const at = field.indexOf('=')
  return [field.slice(0, at), field.slice(at + 1)]
}

const known = (value: string | undefined): string | null =>
  value === undefined || value === 'N/A' || value === 'unknown' ? null : value

export const numberOf = (fields: Map<string, string>, name: string): number | null => {
  const value = Number.parseFloat(fields.get(name) ?? '')
  return Number.isFinite(value) ? value : null
}
