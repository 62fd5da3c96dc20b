import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { decodeAudio, type Pcm, SAMPLE_RATE, secondsOf } from '../../../container/audio/decode.ts'
import {
  cutAtSilences,
  isSilent,
  longestPiece,
  measureLoudness,
  preparePiece,
} from '../../../container/audio/pieces.ts'
import { toEncode } from '../../../container/media/spending.ts'
import { clip, ffmpeg, generated, samplesOf, scratch, silenceOf } from './recordings.ts'
import { readSamples } from './samples.ts'

const { signal } = new AbortController()
const spends = toEncode(100, 2 * SAMPLE_RATE)
const decoded = (path: string, demuxer: string, seconds = 100): Promise<Pcm> =>
  decodeAudio({ path, demuxer }, { outputFile: join(scratch(), 'audio.pcm'), seconds, spends, signal })

/** Samples written to a file. */
const pcmOf = (samples: Buffer): Pcm => {
  const path = join(scratch(), 'made.pcm')
  writeFileSync(path, samples)
  return { path, samples: samples.length / 2, durationSeconds: samples.length / 2 / SAMPLE_RATE }
}

const made = (name: string, ...args: string[]): string => {
  const path = join(scratch(), name)
  ffmpeg([...args, path])
  return path
}

const tone = ['-f', 'lavfi', '-i', 'sine=frequency=440:duration=3']
const picture = ['-f', 'lavfi', '-i', 'color=size=64x64:rate=10:duration=5']

/** The time of the first audible frame, in seconds. */
const onset = async (pcm: Pcm): Promise<number> => {
  const loudness = await measureLoudness(pcm)
  return loudness.findIndex((power) => power > 1e-4) / 50
}

describe('decoding', () => {
  test.each([
    ['stereo AAC in mp4', 'a.mp4', 'mov', ['-ac', '2', '-ar', '48000', '-c:a', 'aac']],
    ['8 kHz Opus', 'a.ogg', 'ogg', ['-ar', '8000', '-c:a', 'libopus']],
    ['5.1 FLAC', 'a.flac', 'flac', ['-ac', '6', '-c:a', 'flac']],
    ['MP3', 'a.mp3', 'mp3', ['-c:a', 'libmp3lame']],
  ])('%s becomes 16 kHz mono of the same length', async (_, name, demuxer, codec) => {
    const pcm = await decoded(made(name, ...tone, ...codec), demuxer)
    expect(pcm.durationSeconds).toBeCloseTo(3, 0)
    expect(statSync(pcm.path).size).toBe(pcm.samples * 2)
  })

  test('audio that starts late in a video keeps its offset', async () => {
    const video = made('late.mp4', ...picture, '-itsoffset', '2', ...tone, '-c:v', 'libx264', '-c:a', 'aac')
    const pcm = await decoded(video, 'mov')
    expect(await onset(pcm)).toBeGreaterThan(1.9)
    expect(await onset(pcm)).toBeLessThan(2.1)
  })

  test('a video without audio fails with NO_AUDIO', async () => {
    await expect(decoded(made('mute.mp4', ...picture, '-c:v', 'libx264'), 'mov')).rejects.toMatchObject({
      code: 'NO_AUDIO',
    })
  })

  test('no more is decoded than was asked for', async () => {
    await expect(decoded(made('a.wav', ...tone), 'wav', 2)).resolves.toMatchObject({ durationSeconds: 2 })
  })

  test('a file that is larger than the step has reserved fails with MEDIA_TOO_LARGE', async () => {
    const options = { outputFile: join(scratch(), 'audio.pcm'), seconds: 100, signal }
    const few = { spends: { bytes: 10_000, cpuSeconds: 60 } }
    const decoding = decodeAudio({ path: made('a.wav', ...tone), demuxer: 'wav' }, { ...options, ...few })
    await expect(decoding).rejects.toMatchObject({ code: 'MEDIA_TOO_LARGE' })
  })

  test('invalid audio fails with SOURCE_UNSUPPORTED', async () => {
    const path = join(scratch(), 'noise.ogg')
    writeFileSync(path, generated('anoisesrc=duration=1:seed=7'))
    await expect(decoded(path, 'ogg')).rejects.toMatchObject({ code: 'SOURCE_UNSUPPORTED' })
  })

  test('an abort stops decoding', async () => {
    const controller = new AbortController()
    controller.abort(new Error('stop'))
    const options = { outputFile: join(scratch(), 'x.pcm'), seconds: 10, spends, signal: controller.signal }
    await expect(decodeAudio({ path: clip('0870'), demuxer: 'flac' }, options)).rejects.toThrow('stop')
  })
})

describe('pieces', () => {
  test('recorded speech is cut between sentences', async () => {
    const clips = (['0870', '0880', '0890', '0920'] as const).map((number) => samplesOf('-i', clip(number)))
    const pcm = pcmOf(Buffer.concat(clips))
    const loudness = await measureLoudness(pcm)
    const pieces = cutAtSilences(pcm, loudness, 12)
    expect(pieces.length).toBe(2)
    for (const { end } of pieces.slice(0, -1)) {
      const around = loudness.subarray(end / 320 - 5, end / 320 + 5)
      expect(Math.max(...around)).toBeLessThan(1e-4)
    }
  })

  test('loudness is measured up to the last partial frame', async () => {
    const pcm = pcmOf(Buffer.concat([silenceOf(20), generated('sine=duration=0.03')]))
    const loudness = await measureLoudness(pcm)
    expect(loudness.length).toBe(1_002)
    expect(isSilent(loudness, { start: 0, end: 20 * SAMPLE_RATE })).toBe(true)
    expect(loudness[1_000]).toBeGreaterThan(1e-3)
    expect(loudness[1_001]).toBeGreaterThan(1e-3)
  })

  test('a piece encoded as Opus keeps its duration and offset, and its size is within the estimate', async () => {
    const pcm = pcmOf(Buffer.concat([silenceOf(10), generated('anoisesrc=duration=40:seed=7:amplitude=0.9')]))
    const range = { start: 5 * SAMPLE_RATE, end: 45 * SAMPLE_RATE }
    const piece = await preparePiece(pcm, range, {
      encoding: 'opus',
      outputFile: join(scratch(), 'piece.ogg'),
      signal,
    })
    expect(piece).toMatchObject({ start: 0, end: statSync(piece.path).size, offsetSeconds: 5, durationSeconds: 40 })
    expect(longestPiece('opus', { maxBytes: piece.end, maxSeconds: 1_000 })).toBeLessThanOrEqual(40)
    const again = await decoded(piece.path, 'ogg')
    expect(again.durationSeconds).toBeCloseTo(40, 1)
    expect(await onset(again)).toBeCloseTo(5, 1)
  })

  test('a piece of samples is a range of the decoded file', async () => {
    const pcm = pcmOf(samplesOf('-i', clip('0870')))
    const range = { start: 16_001, end: 48_007 }
    const piece = await preparePiece(pcm, range, { encoding: 'samples', outputFile: '', signal })
    expect(piece).toMatchObject({ path: pcm.path, start: 32_002, end: 96_014, offsetSeconds: 16_001 / SAMPLE_RATE })
    const bytes = readFileSync(piece.path).subarray(piece.start, piece.end)
    expect(bytes.equals(await readSamples(pcm, range))).toBe(true)
    expect(longestPiece('samples', { maxBytes: bytes.length, maxSeconds: 60 })).toBe(2)
  })

  test('an Opus piece of 25 MiB holds between one and a half and three hours', () => {
    const seconds = longestPiece('opus', { maxBytes: 26_148_864, maxSeconds: 36_000 })
    expect(seconds).toBeGreaterThan(1.5 * 3_600)
    expect(seconds).toBeLessThan(3 * 3_600)
    expect(longestPiece('opus', { maxBytes: 26_148_864, maxSeconds: 240 })).toBe(240)
  })
})

test('24,000 samples last 1.5 seconds', () => expect(secondsOf(24_000)).toBe(1.5))
