/** ffprobe's compact output, parsed line by line: as JSON, the packets of a long file would not fit in memory. */
export interface FfprobeReport {
  format: string
  /** The major brand of an MP4; empty for other formats. */
  brand: string
  start: number
  duration: number | null
  streams: ReportedStream[]
  lastPacketEnd: number | null
}

export interface ReportedStream {
  index: number
  type: string
  codec: string | null
  width: number
  height: number
  start: number | null
  duration: number | null
  /** A still picture inside the file, such as cover art. */
  attached: boolean
  language: string | null
  rotation: number
}

export const createReportReader = () => {
  const streams = new Map<number, ReportedStream>()
  const ends = new Map<number, number>()
  let format = new Map<string, string>()
  const read: Record<string, (fields: Map<string, string>) => void> = {
    stream: (fields) => streams.set(number(fields, 'index') ?? 0, streamOf(fields)),
    format: (fields) => {
      format = fields
    },
    packet: (fields) => {
      const index = number(fields, 'stream_index') ?? 0
      const end = (number(fields, 'pts_time') ?? 0) + (number(fields, 'duration_time') ?? 0)
      ends.set(index, Math.max(end, ends.get(index) ?? 0))
    },
  }
  return {
    line: (line: string): void => {
      const [section = '', ...fields] = line.split('|')
      // A name that every object has, such as `__defineGetter__`, is not a section.
      if (Object.hasOwn(read, section)) read[section]?.(new Map(fields.map(keyAndValue)))
    },
    report: (): FfprobeReport => reportOf(format, [...streams.values()], ends),
  }
}

const reportOf = (format: Map<string, string>, streams: ReportedStream[], ends: Map<number, number>): FfprobeReport => {
  // Subtitles and chapters may end after the last frame, and cover art has no useful end.
  const played = streams.filter(({ type, attached }) => (type === 'video' && !attached) || type === 'audio')
  const playedEnds = played.map(({ index }) => ends.get(index)).filter((end) => end !== undefined)
  const start = number(format, 'start_time') ?? 0
  const durations = played.map(({ duration }) => duration).filter((duration) => duration !== null)
  const known = played.length > 0 && durations.length === played.length
  return {
    format: format.get('format_name') ?? '',
    brand: format.get('tag:major_brand') ?? '',
    start,
    duration: known ? Math.max(...durations) : number(format, 'duration'),
    streams,
    lastPacketEnd: playedEnds.length > 0 ? Math.max(...playedEnds) : null,
  }
}

const streamOf = (fields: Map<string, string>): ReportedStream => ({
  index: number(fields, 'index') ?? 0,
  type: fields.get('codec_type') ?? '',
  codec: known(fields.get('codec_name')),
  width: number(fields, 'width') ?? 0,
  height: number(fields, 'height') ?? 0,
  start: number(fields, 'start_time'),
  duration: number(fields, 'duration'),
  attached: fields.get('disposition:attached_pic') === '1',
  language: fields.get('tag:language') ?? null,
  // FFmpeg names the section of the field since version 6.
  rotation: number(fields, 'side_datum/display_matrix:rotation') ?? number(fields, 'rotation') ?? 0,
})

const keyAndValue = (field: string): [string, string] => {
  const at = field.indexOf('=')
  return [field.slice(0, at), field.slice(at + 1)]
}

const known = (value: string | undefined): string | null =>
  value === undefined || value === 'N/A' || value === 'unknown' ? null : value

const number = (fields: Map<string, string>, name: string): number | null => {
  const value = Number.parseFloat(fields.get(name) ?? '')
  return Number.isFinite(value) ? value : null
}
