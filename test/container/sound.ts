import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, onTestFinished } from 'vitest'
import { SAMPLE_RATE } from '../../container/speech/audio/pcm.ts'

/** Real speech: five sentences, see the README there. */
export const clip = (number: '0870' | '0880' | '0890' | '0920' | '0930'): string =>
  fileURLToPath(new URL(`speech-clips/${number}.flac`, import.meta.url))

/** Another language, see the README as well. */
export const italianClip = fileURLToPath(new URL('speech-clips/it/frase.flac', import.meta.url))

export const scratch = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'haul-sound-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export const ffmpeg = (args: string[]): Buffer =>
  execFileSync('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...args], { maxBuffer: 256 * 1024 * 1024 })

/** A file as the samples that the engine takes. */
export const samplesOf = (...input: string[]): Buffer =>
  ffmpeg([...input, '-ac', '1', '-ar', String(SAMPLE_RATE), '-f', 's16le', '-'])

/** What ffmpeg's generator of this name makes, the same each time. */
export const generated = (source: string, ...filters: string[]): Buffer =>
  samplesOf('-f', 'lavfi', '-i', source, ...(filters.length > 0 ? ['-af', filters.join(',')] : []))

export const silenceOf = (seconds: number): Buffer => Buffer.alloc(Math.round(seconds * SAMPLE_RATE) * 2)

/** For a whole file of tests, which serve what is in it. */
export const scratchFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'haul-sounds-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
