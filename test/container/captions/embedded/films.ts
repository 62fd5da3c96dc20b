import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readCaptions } from '../../../../container/captions/read.ts'
import { fixture } from '../../../doubles/origin/fixtures.ts'

const run = promisify(execFile)

export const ffmpeg = (folder: string, args: string[]) =>
  run('ffmpeg', ['-v', 'error', '-y', '-fflags', '+bitexact', ...args], { cwd: folder, timeout: 60_000 })

/** Six seconds of video, this many times more: 11 minutes and 60 MB, which is more than a captions step may read. */
const repeats = 111

const timeOf = (seconds: number) => {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const digits = (number: number) => String(number).padStart(2, '0')
  return `${digits(hours)}:${digits(minutes)}:${digits(Math.floor(seconds % 60))},${String(Math.round((seconds % 1) * 1000)).padStart(3, '0')}`
}

export interface Line {
  start: number
  end: number
  text: string
}

export const srt = (lines: Line[]): string =>
  lines.map(({ start, end, text }, at) => `${at + 1}\n${timeOf(start)} --> ${timeOf(end)}\n${text}\n`).join('\n')

/** Makes a film with these subtitles, of copied video, which takes about half a second. `options` are the muxer's. */
export const makeFilm = async (folder: string, name: string, lines: Line[], options: string[] = []): Promise<void> => {
  await writeFile(join(folder, 'film.srt'), srt(lines))
  const inputs = ['-stream_loop', String(repeats), '-i', fixture('source-360.mp4'), '-i', 'film.srt']
  const codec = /\.(mp4|mov)$/.test(name) ? 'mov_text' : 'subrip'
  await ffmpeg(folder, [...inputs, '-map', '0', '-map', '1', '-c', 'copy', '-c:s', codec, ...options, name])
}

/** What ffmpeg reads from the first subtitle track of a file, in times from the start of the media. */
export const extractedByFfmpeg = async (folder: string, file: string) => {
  await ffmpeg(folder, ['-i', file, '-map', '0:s:0', 'extracted.srt'])
  const extracted = join(folder, 'extracted.srt')
  const segments = readCaptions(await readFile(extracted))
  await rm(extracted)
  return segments
}

/** When the media of a file starts, in the file's own time. */
export const startSecondsOf = async (file: string): Promise<number> => {
  const { stdout } = await run('ffprobe', ['-v', 'error', '-show_entries', 'format=start_time', '-of', 'csv=p=0', file])
  return Number(stdout)
}
