import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { spokenText } from '../../../bench/speech/clips.ts'
import { wordErrorRate } from '../../../bench/speech/word-errors.ts'
import { secondsOf } from '../../../container/audio/pcm.ts'
import { findWalls } from '../../../container/sandbox/walls.ts'
import { EngineUnavailable } from '../../../container/speech/model.ts'
import { createRecognizer } from '../../../container/speech/recognizer.ts'
import { speechSettings } from '../../../container/speech/recognizer-process.ts'
import type { RecognizeOptions, RecordingPiece } from '../../../container/speech/recording.ts'
import type { Segment } from '../../../domain/words/segment.ts'
import { clip, ffmpeg, generated, samplesOf, scratch, silenceOf } from '../audio/recordings.ts'
import { descendantsOf } from '../processes.ts'
import { seenOfTmp } from '../sandbox/python.ts'
import { installSpeech } from './installed-speech.ts'

/** Recognition of up to a minute of audio takes seconds on a quiet machine, and minutes if other tests use the CPU. */
vi.setConfig({ testTimeout: 180_000 })

const { isolation: walls } = await findWalls()
const settings = speechSettings()
const recognizer = createRecognizer(settings)

installSpeech()
/** Loads the model. */
beforeAll(() => recognizer.warm(), 120_000)
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

/** An engine that starts and exits with the first piece. */
const dyingPython = async (): Promise<string> => {
  const path = join(scratch(), 'python')
  const script = `#!/bin/sh\necho '{"event":"ready"}'\nread request\necho no memory left >&2\n`
  await writeFile(path, script, { mode: 0o755 })
  return path
}

/** Pieces of one recording, in order. */
const inPieces = (...samples: Buffer[]): RecordingPiece[] => {
  let at = 0
  return samples.map((piece) => {
    const offsetSeconds = secondsOf(at)
    at += piece.length / 2
    return { offsetSeconds, samples: piece }
  })
}

const recognize = (pieces: RecordingPiece[], options: Partial<RecognizeOptions> = {}) =>
  recognizer.recognize(pieces, { language: null, signal: new AbortController().signal, ...options })

const checkWords = ({ start, end, text, words = [] }: Segment) => {
  expect(words.map((word) => word.text).join(' ')).toBe(text)
  let clock = start
  for (const word of words) {
    expect(word.start).toBeGreaterThanOrEqual(clock)
    expect(word.end).toBeGreaterThanOrEqual(word.start)
    expect(word.confidence).toBeGreaterThan(0)
    expect(word.confidence).toBeLessThanOrEqual(1)
    clock = word.end
  }
  expect(clock).toBeLessThanOrEqual(end)
}

describe('speech', () => {
  test('is transcribed with the right text, length of segments, and times of segments and words', async () => {
    const { language, text, segments, durationSeconds } = await recognize(inPieces(speech))
    expect(wordErrorRate(spokenText, text)).toBeLessThan(0.03)
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
    for (const segment of segments) checkWords(segment)
    // The first sentence is 7.1 s long, the fourth begins at 15.39 s.
    expect(segments[0]?.end).toBeGreaterThan(6)
    expect(segments.some(({ start, text: words }) => start > 15 && start < 16 && words.startsWith('Had'))).toBe(true)
  })

  test('has no more word errors than faster-whisper with the same weights', async () => {
    const wav = join(scratch(), 'speech.wav')
    ffmpeg(['-f', 's16le', '-ar', '16000', '-ac', '1', '-i', await written(speech), wav])
    const bare = fileURLToPath(new URL('../../../bench/speech/bare-whisper.py', import.meta.url))
    const { stdout } = await promisify(execFile)(settings.python, [bare, wav, settings.modelDir, '2'])
    const { text } = await recognize(inPieces(speech))
    expect(wordErrorRate(spokenText, text)).toBeLessThanOrEqual(wordErrorRate(spokenText, JSON.parse(stdout).text))
  })

  test('in several pieces keeps its order and times, and reports progress', async () => {
    const progress: number[] = []
    const pieces = inPieces(shortSpeech, silenceOf(30), shortSpeech)
    const { segments, durationSeconds } = await recognize(pieces, { onProgress: (seconds) => progress.push(seconds) })
    expect(segments.map(({ text }) => text)).toEqual(Array(2).fill('He was not an ill-disposed young man.'))
    expect(segments[1]?.start).toBeGreaterThan(32.9)
    expect(segments[1]?.start).toBeLessThan(33.8)
    expect(durationSeconds).toBeCloseTo(35.98, 1)
    expect(progress).toEqual(progress.toSorted((a, b) => a - b))
    expect(progress.at(-1)).toBeCloseTo(35.98, 1)
  })

  test('between noise and silence is found at its time, without words for the rest', async () => {
    const noise = generated('anoisesrc=duration=20:color=pink:seed=7:amplitude=0.02')
    const { segments } = await recognize(inPieces(Buffer.concat([noise, shortSpeech, silenceOf(20)])))
    expect(segments.map(({ text }) => text)).toEqual(['He was not an ill-disposed young man.'])
    expect(segments[0]?.start).toBeGreaterThan(19.9)
    expect(segments[0]?.end).toBeLessThan(23.2)
  })
})

describe('audio without speech has no words', () => {
  const plucked = 'sin(2*PI*t*220*(1+mod(floor(t*4)\\,5)/4))*exp(-6*mod(t\\,0.25))'
  const beat = 'sin(2*PI*60*t)*exp(-20*mod(t\\,0.5))'
  test.each([
    ['silence', () => silenceOf(45)],
    ['a tone', () => generated('sine=frequency=440:duration=45')],
    ['white noise', () => generated('anoisesrc=duration=60:color=white:seed=7:amplitude=0.3')],
    ['pink noise', () => generated('anoisesrc=duration=60:color=pink:seed=7:amplitude=0.6')],
    ['music', () => generated(`aevalsrc=0.5*${plucked}+0.4*${beat}:duration=60:sample_rate=16000`)],
    ['no samples', () => silenceOf(0)],
    ['10 ms', () => silenceOf(0.01)],
  ])('%s', async (_, samples) => {
    expect(await recognize(inPieces(samples()))).toMatchObject({ segments: [], text: '', language: null })
  })
})

describe('language', () => {
  test.each([
    ['en-GB', 'en'],
    ['de', 'de'],
    ['tlh', 'en'],
  ])('%s as requested gives a transcript in %s', async (language, expected) => {
    expect((await recognize(inPieces(shortSpeech), { language })).language).toBe(expected)
  })

  test('is detected from the first speech and kept', async () => {
    expect((await recognize(inPieces(silenceOf(5), speech, shortSpeech))).language).toBe('en')
  })
})

describe('the process', () => {
  test('recognizes one recording after the other', async () => {
    const ended: string[] = []
    const first = recognize(inPieces(shortSpeech)).then(() => ended.push('first'))
    const second = recognize(inPieces(silenceOf(1))).then(() => ended.push('second'))
    await Promise.all([first, second])
    expect(ended).toEqual(['first', 'second'])
  })

  test('stops a canceled recording and keeps running for the next', async () => {
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

  test('does not start a recording that was canceled while it waited', async () => {
    const controller = new AbortController()
    const before = recognize(inPieces(shortSpeech))
    const waiting = recognize(inPieces(speech), { signal: controller.signal })
    controller.abort(new Error('canceled'))
    await expect(waiting).rejects.toThrow('canceled')
    await before
  })

  test('is restarted if it dies during a recording, and no words are lost', async () => {
    const pid = recognizer.pid
    let killed = false
    const killOnce = () => {
      // Progress that it reported before its end may still arrive after it.
      if (pid !== undefined && !killed) process.kill(pid, 'SIGKILL')
      killed = true
    }
    const { segments } = await recognize(inPieces(shortSpeech, shortSpeech), { onProgress: killOnce })
    expect(killed).toBe(true)
    expect(segments.length).toBe(2)
    expect(recognizer.pid).not.toBe(pid)
    expect(await recognizer.health()).toBe(true)
  })

  test('that dies twice makes the engine unavailable', async () => {
    const dying = createRecognizer({ ...settings, python: await dyingPython() })
    const { signal } = new AbortController()
    const error = await dying
      .recognize(inPieces(shortSpeech), { language: null, signal })
      .catch((error: unknown) => error)
    expect(error).toBeInstanceOf(EngineUnavailable)
    expect(error).toMatchObject({ reason: expect.stringContaining('no memory left') })
    dying.stop()
  })

  test.runIf(walls === 'bubblewrap')('has no network, and sees only the files that it needs', async () => {
    await recognize(inPieces(shortSpeech))
    const inside = descendantsOf(recognizer.pid ?? Number.NaN).find(({ command }) => command.startsWith('python'))?.pid
    const interfaces = readFileSync(`/proc/${inside}/net/dev`, 'utf8').match(/^\s*\w+(?=:)/gm)
    expect(interfaces?.map((name) => name.trim())).toEqual(['lo'])
    expect(readdirSync(`/proc/${inside}/root/tmp`)).toEqual(seenOfTmp)
    expect(readdirSync(`/proc/${inside}/root`)).not.toContain('home')
  })
})
