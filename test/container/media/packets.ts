import { execFileSync } from 'node:child_process'
import { ffmpegProgram } from '../../../container/sandbox/program-files.ts'

export interface Packet {
  pts: number
  size: string
  hash: string
  isKey: boolean
}

/** The packets of a file's first picture or sound stream, in the order in which they are stored. */
export const packetsOf = (path: string, stream: 'V:0' | 'a:0'): Packet[] =>
  execFileSync(
    ffmpegProgram('ffprobe'),
    [
      ...['-v', 'error', '-select_streams', stream, '-show_data_hash', 'md5'],
      ...['-show_entries', 'packet=pts_time,size,flags,data_hash', '-of', 'csv=p=0', path],
    ],
    { encoding: 'utf8', maxBuffer: 1e8 },
  )
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [pts = '', size = '', flags = '', hash = ''] = line.split(',')
      return { pts: Number(pts), size, hash, isKey: flags.startsWith('K') }
    })

/** Where the packets of a part are among those of the whole, or -1. They must follow each other without a gap. */
export const runIn = (part: Packet[], whole: Packet[]): number => {
  const matches = (at: number) =>
    part.every(({ hash, size }, index) => {
      const other = whole[at + index]
      return other?.hash === hash && other.size === size
    })
  return whole.findIndex((_, at) => matches(at))
}
