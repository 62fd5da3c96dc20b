import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { said } from '../../bench/speech/clips.ts'
import { wordErrorRate } from '../../bench/speech/word-errors.ts'
import { isolation } from '../../container/process.ts'
import { secondsOf } from '../../container/speech/audio/pcm.ts'
import { createRecognizer } from '../../container/speech/engine/recognizer.ts'
import type { Piece, RecognizeOptions } from '../../container/speech/engine/recording.ts'
import { speechSettings } from '../../container/speech/engine/settings.ts'
import { ensureSpeech } from '../../scripts/speech.mjs'
import { clip, ffmpeg, generated, samplesOf, scratch, silenceOf } from './sound.ts'

/** Minutes of speech take minutes where others want the processor too. */
vi.setConfig({ testTimeout: 600_000 })

const settings = speechSettings()
const recognizer = createRecognizer(settings)

beforeAll(async () => {
  await ensureSpeech({ venvPython: settings.python, toolsDir: dirname(dirname(settings.modelDir)), log: () => {} })
  await recognizer.warm()
})
afterAll(() => recognizer.stop())

const shortSpeech = samplesOf('-i', clip('0880'))
const speech = Buffer.concat(
  (['0870', '0880', '0890', '0920', '0930'] as const).map((name) => samplesOf('-i', clip(name))),
)
const fourMinutes = Buffer.concat(Array(10).fill(speech))

const written = async (samples: Buffer): Promise<string> => {
  const path = join(scratch(), 'samples.pcm')
  await writeFile(path, samples)
  return path
}

/** An engine that is ready, and gone with the first piece. */
const dyingPython = async (): Promise<string> => {
  const path = join(scratch(), 'python')
  const script = `#!/bin/sh\necho '{"event":"ready"}'\nread order\necho no memory left >&2\n`
  await writeFile(path, script, { mode: 0o755 })
  return path
}

/** One after the other, as a recording that was cut. */
const inPieces = (...samples: Buffer[]): Piece[] => {
  let at = 0
  return samples.map((piece) => {
    const offsetSeconds = secondsOf(at)
    at += piece.length / 2
    return { offsetSeconds, samples: piece }
  })
}

const recognize = (pieces: Piece[], options: Partial<RecognizeOptions> = {}) =>
  recognizer.recognize(pieces, { language: null, signal: new AbortController().signal, ...options })

describe('speech', () => {
  test('comes out word for word, at reading length, when it was said', async () => {
    const { language, text, segments, durationSeconds } = await recognize(inPieces(speech))
    expect(wordErrorRate(said, text)).toBeLessThan(0.03)
    expect(language).toBe('en')
    expect(durationSeconds).toBe(24.73)
    expect(segments.map((segment) => segment.text).join(' ')).toBe(text)
    let clock = 0
    for (const { start, end } of segments) {
      expect(start).toBeGreaterThanOrEqual(clock)
      expect(end - start).toBeGreaterThan(0)
      expect(end - start).toBeLessThanOrEqual(7)
      clock = end
    }
    // The first sentence is 7.1 s long, the fourth begins at 15.39 s.
    expect(segments[0]?.end).toBeGreaterThan(6)
    expect(segments.some(({ start, text: words }) => start > 15 && start < 16 && words.startsWith('Had'))).toBe(true)
  })

  test('is understood no worse than by a bare script with the same weights', async () => {
    const wav = join(scratch(), 'speech.wav')
    ffmpeg(['-f', 's16le', '-ar', '16000', '-ac', '1', '-i', await written(speech), wav])
    const bare = fileURLToPath(new URL('../../bench/speech/bare.py', import.meta.url))
    const { stdout } = await promisify(execFile)(settings.python, [bare, wav, settings.modelDir, '2'])
    const { text } = await recognize(inPieces(speech))
    expect(wordErrorRate(said, text)).toBeLessThanOrEqual(wordErrorRate(said, JSON.parse(stdout).text))
  })

  test('in several pieces keeps its order and its times, and tells how far it is', async () => {
    const told: number[] = []
    const pieces = inPieces(shortSpeech, silenceOf(30), shortSpeech)
    const { segments, durationSeconds } = await recognize(pieces, { onProgress: (seconds) => told.push(seconds) })
    expect(segments.map(({ text }) => text)).toEqual(Array(2).fill('He was not an ill-disposed young man.'))
    expect(segments[1]?.start).toBeGreaterThan(32.9)
    expect(segments[1]?.start).toBeLessThan(33.8)
    expect(durationSeconds).toBeCloseTo(35.98, 1)
    expect(told).toEqual(told.toSorted((a, b) => a - b))
    expect(told.at(-1)).toBeCloseTo(35.98, 1)
  })

  test('after noise and before silence is found where it is, and nothing is made of the rest', async () => {
    const noise = generated('anoisesrc=duration=20:color=pink:seed=7:amplitude=0.02')
    const { segments } = await recognize(inPieces(Buffer.concat([noise, shortSpeech, silenceOf(20)])))
    expect(segments.map(({ text }) => text)).toEqual(['He was not an ill-disposed young man.'])
    expect(segments[0]?.start).toBeGreaterThan(19.9)
    expect(segments[0]?.end).toBeLessThan(23.2)
  })
})

describe('what is not speech has no words', () => {
  const plucked = 'sin(2*PI*t*220*(1+mod(floor(t*4)\\,5)/4))*exp(-6*mod(t\\,0.25))'
  const beat = 'sin(2*PI*60*t)*exp(-20*mod(t\\,0.5))'
  test.each([
    ['silence', () => silenceOf(45)],
    ['a tone', () => generated('sine=frequency=440:duration=45')],
    ['white noise', () => generated('anoisesrc=duration=60:color=white:seed=7:amplitude=0.3')],
    ['pink noise', () => generated('anoisesrc=duration=60:color=pink:seed=7:amplitude=0.6')],
    ['music', () => generated(`aevalsrc=0.5*${plucked}+0.4*${beat}:duration=60:sample_rate=16000`)],
    ['nothing at all', () => silenceOf(0)],
    ['less than a moment', () => silenceOf(0.01)],
  ])('%s', async (_, samples) => {
    expect(await recognize(inPieces(samples()))).toMatchObject({ segments: [], words: [], text: '', language: null })
  })
})

describe('language', () => {
  test.each([
    ['en-GB', 'en'],
    ['de', 'de'],
    ['tlh', 'en'],
  ])('%s as the caller wrote it is %s to the engine', async (language, expected) => {
    expect((await recognize(inPieces(shortSpeech), { language })).language).toBe(expected)
  })

  test('is found out from the first speech and kept', async () => {
    expect((await recognize(inPieces(silenceOf(5), speech, shortSpeech))).language).toBe('en')
  })
})

describe('the process', () => {
  test('takes one recording after the other', async () => {
    const ended: string[] = []
    const first = recognize(inPieces(shortSpeech)).then(() => ended.push('first'))
    const second = recognize(inPieces(silenceOf(1))).then(() => ended.push('second'))
    await Promise.all([first, second])
    expect(ended).toEqual(['first', 'second'])
  })

  test('lets go of a recording that is canceled, and stays for the next', async () => {
    const pid = recognizer.pid
    const controller = new AbortController()
    const canceled = recognize(inPieces(fourMinutes, fourMinutes), {
      signal: controller.signal,
      onProgress: () => controller.abort(new Error('canceled')),
    })
    await expect(canceled).rejects.toThrow('canceled')
    const { text } = await recognize(inPieces(shortSpeech))
    expect(text).toBe('He was not an ill-disposed young man.')
    expect(recognizer.pid).toBe(pid)
  })

  test('does not begin what was canceled while it waited', async () => {
    const controller = new AbortController()
    const before = recognize(inPieces(shortSpeech))
    const waiting = recognize(inPieces(speech), { signal: controller.signal })
    controller.abort(new Error('canceled'))
    await expect(waiting).rejects.toThrow('canceled')
    await before
  })

  test('is started anew when it dies in mid-recording, and nothing is lost', async () => {
    const pid = recognizer.pid
    const kill = () => {
      if (pid !== undefined && recognizer.pid === pid) process.kill(pid, 'SIGKILL')
    }
    const { segments } = await recognize(inPieces(shortSpeech, shortSpeech), { onProgress: kill })
    expect(segments.length).toBe(2)
    expect(recognizer.pid).not.toBe(pid)
    expect(await recognizer.health()).toBe(true)
  })

  test('fails with the code of a provider when it dies again and again', async () => {
    const dying = createRecognizer({ ...settings, python: await dyingPython() })
    const { signal } = new AbortController()
    await expect(dying.recognize(inPieces(shortSpeech), { language: null, signal })).rejects.toMatchObject({
      code: 'PROVIDER_FAILED',
      reason: expect.stringContaining('no memory left'),
    })
    dying.stop()
  })

  test('sees no network', async (context) => {
    if ((await isolation()).network === 'none') context.skip()
    const interfaces = readFileSync(`/proc/${recognizer.pid}/net/dev`, 'utf8').match(/^\s*\w+(?=:)/gm)
    expect(interfaces?.map((name) => name.trim())).toEqual(['lo'])
  })
})
