import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** Real speech and its text (test/media/clips). */
const folder = fileURLToPath(new URL('../../test/media/clips', import.meta.url))

export const spokenText = readFileSync(join(folder, 'words.txt'), 'utf8').replaceAll('\n', ' ')

/** Repeats all clips, 24.7 s together, for this many seconds. */
export const makeRecording = async (path: string, seconds: number): Promise<void> => {
  const clips = readdirSync(folder).filter((name) => name.endsWith('.flac'))
  const inputs = clips.sort().flatMap((name) => ['-i', join(folder, name)])
  const graph = `concat=n=${clips.length}:v=0:a=1,aloop=loop=-1:size=${await samplesOf(inputs, clips.length)}`
  await ffmpeg([...inputs, '-filter_complex', graph, '-t', String(seconds), path])
}

const samplesOf = async (inputs: string[], count: number): Promise<number> => {
  const samples = await ffmpeg([
    ...inputs,
    '-filter_complex',
    `concat=n=${count}:v=0:a=1`,
    '-f',
    's16le',
    '-ac',
    '1',
    '-',
  ])
  return samples.length / 2
}

const run = promisify(execFile)

const ffmpeg = async (args: string[]): Promise<Buffer> => {
  const options = { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 } as const
  return (await run('ffmpeg', ['-v', 'error', '-y', ...args], options)).stdout
}
