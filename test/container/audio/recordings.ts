import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, onTestFinished } from 'vitest'
import { SAMPLE_RATE } from '../../../container/audio/decode.ts'
import { ffmpegProgram } from '../../../container/sandbox/program-files.ts'

/** Recorded speech, one sentence each. See test/media/clips/README.md. */
export const clip = (number: '0870' | '0880' | '0890' | '0920' | '0930'): string =>
  fileURLToPath(new URL(`../../media/clips/${number}.flac`, import.meta.url))

/** Synthesized Italian speech, from the same folder. */
export const italianClip = fileURLToPath(new URL('../../media/clips/it/frase.flac', import.meta.url))

/** Two sentences of a telephone system. See test/media/clips/README.md. */
export const telephoneClip = (language: 'fr' | 'es' | 'it'): string =>
  fileURLToPath(new URL(`../../media/clips/${language}/telephone.ogg`, import.meta.url))

/** Twelve invented names, in sentences. See test/media/clips/README.md. */
export const namesClip = fileURLToPath(new URL('../../media/clips/names.ogg', import.meta.url))

/** Removed after the test. */
export const scratch = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'haul-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export const ffmpeg = (args: string[]): Buffer =>
  execFileSync('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...args], { maxBuffer: 256 * 1024 * 1024 })

/** An ffmpeg input as the samples that the recognizer takes, decoded by the version that the container uses. */
export const samplesOf = (...input: string[]): Buffer => {
  const output = ['-ac', '1', '-ar', String(SAMPLE_RATE), '-f', 's16le', '-']
  return execFileSync(ffmpegProgram('ffmpeg'), ['-v', 'error', '-nostdin', ...input, ...output], {
    maxBuffer: 256 * 1024 * 1024,
  })
}

/** Deterministic output of an ffmpeg signal generator. */
export const generated = (source: string, ...filters: string[]): Buffer =>
  samplesOf('-f', 'lavfi', '-i', source, ...(filters.length > 0 ? ['-af', filters.join(',')] : []))

export const silenceOf = (seconds: number): Buffer => Buffer.alloc(Math.round(seconds * SAMPLE_RATE) * 2)

/** Removed after all tests of the file. */
export const scratchFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'haul-test-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
