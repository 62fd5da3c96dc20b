import { execFileSync } from 'node:child_process'
import { expect } from 'vitest'
import { ffmpegProgram } from '../../../../container/sandbox/program-files.ts'

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

export interface Run {
  stream: 'V:0' | 'a:0'
  packets: Packet[]
  /** Where they are in the whole media. */
  at: number
  all: Packet[]
}

/** Finds the packets of a clip among those of the whole media. They must follow each other there. */
export const find = (stream: Run['stream'], clip: string, wholeFile: string): Run => {
  const [packets, all] = [packetsOf(clip, stream), packetsOf(wholeFile, stream)]
  const at = runIn(packets, all)
  expect(at, `${stream} is not a part of the whole`).toBeGreaterThanOrEqual(0)
  return { stream, packets, at, all }
}

/** By how much the times of a clip were shifted: by the same for each of its packets. */
export const shiftOf = (...runs: Run[]): number => {
  const shifts = runs.flatMap(({ packets, at, all }) =>
    packets.map(({ pts }, index) => (all[at + index]?.pts ?? Number.NaN) - pts),
  )
  const [first = Number.NaN] = shifts
  // Matroska and WebM round to milliseconds.
  expect(Math.max(...shifts.map((shift) => Math.abs(shift - first)))).toBeLessThan(0.0021)
  return first
}

export const firstTime = ({ packets }: Run) => Math.min(...packets.map(({ pts }) => pts))
export const lastTime = ({ packets }: Run) => Math.max(...packets.map(({ pts }) => pts))
