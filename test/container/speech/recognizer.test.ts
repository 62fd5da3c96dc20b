import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { spokenText } from '../../../bench/speech/clips.ts'
import { wordErrorRate } from '../../../bench/speech/word-errors.ts'
import { secondsOf } from '../../../container/audio/decode.ts'
import { speechSettings } from '../../../container/config.ts'
import { findWalls } from '../../../container/sandbox/walls.ts'
import { createRecognizer } from '../../../container/speech/recognizer.ts'
import type { RecognizeOptions, RecordingPiece } from '../../../container/speech/recording.ts'
import type { AudioOrder } from '../../../domain/protocol/protocol.ts'
import type { Segment } from '../../../domain/words/segment.ts'
import { clip, ffmpeg, generated, italianClip, samplesOf, scratchFolder, silenceOf } from '../audio/recordings.ts'
import { descendantsOf } from '../processes.ts'
import { seenOfTmp } from '../sandbox/python.ts'
import { createRecognizeHarness } from '../steps/recognize-harness.ts'
import { prepareAudio, resultOf } from '../steps/step-harness.ts'
import { installSpeech } from './installed-speech.ts'

/**
 * With the real model. What a step does around the recognition is tested in steps/recognize-scripted.test.ts. A recording
 * takes seconds on a quiet machine, and minutes if other tests use the CPU.
 */
vi.setConfig({ testTimeout: 180_000 })

const { isolation: walls } = await findWalls()
const settings = speechSettings({ ...process.env, SPEECH_MODEL: 'both' })
const recognizer = createRecognizer(settings)
const folder = scratchFolder()
const { web, storePieces, transcriptOf } = createRecognizeHarness(() => recognizer, folder)

installSpeech()
/** Loads the model. */
beforeAll(() => recognizer.warm(), 120_000)
afterAll(() => recognizer.stop())

const shortSpeech = samplesOf('-i', clip('0880'))
const speech = Buffer.concat(
  (['0870', '0880', '0890', '0920', '0930'] as const).map((name) => samplesOf('-i', clip(name))),
)
const shortText = 'he was not an ill disposed young man'
/**
 * Word error rates. What the model makes of the same samples differs by a word or a full stop between processors,
 * because its weights are integers of 8 bits. Of eight words two may be wrong.
 */
const [FEW_ERRORS, MORE_ERRORS, FEW_OF_EIGHT, TWO_WORDS, ONE_WORD_OF_MANY] = [0.08, 0.15, 0.3, 0.03, 0.003]

const BYTES_PER_SECOND = 32_000

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

const textOf = (segments: Segment[]): string => segments.map(({ text }) => text).join(' ')

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

test('a media file becomes pieces, and their transcript the right text, in short segments, with the times of all words', async () => {
  writeFileSync(join(folder, 'speech.pcm'), speech)
  const pcm = ['-f', 's16le', '-ar', '16000', '-ac', '1', '-i', join(folder, 'speech.pcm')]
  const file = join(folder, 'speech.wav')
  ffmpeg([...pcm, file])
  const order = { encoding: 'samples', maxBytes: 8_000_000, maxSeconds: 10 } as const
  await web.start<AudioOrder>('audio', prepareAudio, { url: `${web.origin.url}/media/speech.wav`, pieces: order })
  const pieces = resultOf(web, 'audio').pieces.map(({ upload, ...place }) => {
    const bytes = web.fake.stored(upload) ?? Buffer.alloc(0)
    return { ...place, url: web.fake.storeObject(bytes), sizeBytes: upload.sizeBytes }
  })
  expect(pieces.length).toBeGreaterThanOrEqual(3)
  web.fake.outcomes.length = 0
  const { text, segments, facts } = await transcriptOf(pieces, { words: true })
  expect(web.fake.uploads.at(-1)).toMatchObject({ kind: 'transcript', contentType: 'application/jsonl' })
  expect(facts).toMatchObject({ language: 'en', hasWords: true, segments: segments.length })
  expect(facts.durationSeconds).toBeCloseTo(24.73, 2)
  expect(wordErrorRate(spokenText, text)).toBeLessThan(FEW_ERRORS)
  expect(textOf(segments)).toBe(text)
  let clock = 0
  for (const { start, end } of segments) {
    expect(start).toBeGreaterThanOrEqual(clock)
    expect(end - start).toBeGreaterThan(0)
    expect(end - start).toBeLessThanOrEqual(7)
    clock = end
  }
  expect(clock).toBeGreaterThan(23)
  for (const segment of segments) checkWords(segment)
  const words = segments.flatMap((segment) => segment.words ?? [])
  const startOf = (spoken: RegExp) => words.find((word) => spoken.test(word.text))?.start
  expect(startOf(/dashwood/i)).toBeCloseTo(1, 0)
  expect(startOf(/married/i)).toBeCloseTo(16, 0)

  const bare = fileURLToPath(new URL('../../../bench/speech/bare-whisper.py', import.meta.url))
  const { stdout } = await promisify(execFile)(settings.python, [bare, file, settings.modelDir, '2'])
  const bareErrors = wordErrorRate(spokenText, JSON.parse(stdout).text)
  expect(wordErrorRate(spokenText, text), 'as faster-whisper alone').toBeLessThanOrEqual(bareErrors + TWO_WORDS)
})

test('speech after noise, before silence and after a pause of a piece is found at its times, without words for the rest', async () => {
  const progress: number[] = []
  const noise = generated('anoisesrc=duration=20:color=pink:seed=7:amplitude=0.02')
  const pieces = inPieces(Buffer.concat([noise, shortSpeech, silenceOf(20)]), silenceOf(30), shortSpeech)
  // In milliseconds, because sums of times differ in their last digit.
  const onProgress = (seconds: number) => progress.push(Math.round(seconds * 1_000))
  const { segments, durationSeconds, language } = await recognize(pieces, { onProgress })
  const [before, after] = [segments.filter(({ start }) => start <= 50), segments.filter(({ start }) => start > 50)]
  for (const part of [before, after]) expect(wordErrorRate(shortText, textOf(part))).toBeLessThan(FEW_OF_EIGHT)
  expect(before[0]?.start).toBeGreaterThan(19.5)
  expect(before.at(-1)?.end).toBeLessThan(23.5)
  expect(after[0]?.start).toBeGreaterThan(72.5)
  expect(after[0]?.start).toBeLessThan(74.2)
  expect([language, durationSeconds]).toEqual(['en', expect.closeTo(75.98, 1)])
  expect(progress).toEqual(progress.toSorted((a, b) => a - b))
  expect(progress.at(-1)).toBeCloseTo(75_980, -2)
})

test.runIf(process.env.HAUL_TEST_LONG)(
  'speech in pieces that are cut anywhere has the words of one piece',
  async () => {
    const minutes = Buffer.concat(Array.from({ length: 10 }, () => speech))
    const cuts = [0, 9, 44, 46, 81, 116, 151, 186, 221].map((seconds) => seconds * BYTES_PER_SECOND)
    const pieces = cuts.map((start, index) => minutes.subarray(start, cuts[index + 1]))
    const [whole, cut] = [await recognize(inPieces(minutes)), await recognize(inPieces(...pieces))]
    expect(wordErrorRate(whole.text, cut.text)).toBeLessThan(ONE_WORD_OF_MANY)
    expect(cut.segments.at(-1)?.end).toBeCloseTo(whole.segments.at(-1)?.end ?? 0, 0)
  },
)

describe('audio without speech has no words', () => {
  const plucked = 'sin(2*PI*t*220*(1+mod(floor(t*4)\\,5)/4))*exp(-6*mod(t\\,0.25))'
  const beat = 'sin(2*PI*60*t)*exp(-20*mod(t\\,0.5))'
  const tone = (hertz: number) => `sin(2*PI*t*${hertz}*pow(2\\,floor(mod(t*2\\,8))*2/12))`
  test.each([
    ['silence', () => silenceOf(45)],
    ['a tone', () => generated('sine=frequency=440:duration=45')],
    ['white noise', () => generated('anoisesrc=duration=60:color=white:seed=7:amplitude=0.3')],
    ['pink noise', () => generated('anoisesrc=duration=60:color=pink:seed=7:amplitude=0.6')],
    ['music', () => generated(`aevalsrc=0.5*${plucked}+0.4*${beat}:duration=60:sample_rate=16000`)],
    ['faint pink noise', () => generated('anoisesrc=color=pink:amplitude=0.1:seed=1:duration=40')],
    ['a melody', () => generated(`aevalsrc=0.2*${tone(220)}+0.1*${tone(330)}:d=40:sample_rate=16000`)],
    ['no samples', () => silenceOf(0)],
    ['10 ms', () => silenceOf(0.01)],
  ])('%s', async (_, samples) => {
    expect(await recognize(inPieces(samples()))).toMatchObject({ segments: [], text: '', language: null })
  })
})

test('another language is detected, and the transcript has no words unless they are asked for', async () => {
  const { text, segments, facts } = await transcriptOf(storePieces(samplesOf('-i', italianClip)))
  expect(facts).toMatchObject({ language: 'it', hasWords: false, segments: segments.length })
  for (const segment of segments) expect(segment).not.toHaveProperty('words')
  const spoken = 'Buongiorno. Questa è una frase breve in italiano. Speriamo che si capisca bene.'
  expect(wordErrorRate(spoken, text.replace(/buon giorno/i, 'buongiorno'))).toBeLessThan(0.3)
})

test('a requested language is taken, without its region', async () => {
  expect((await recognize(inPieces(shortSpeech), { language: 'de-AT' })).language).toBe('de')
})

describe('Moonshine', () => {
  test('hears English, without times of words', async () => {
    const { text, model, language, segments } = await recognize(inPieces(speech), { model: 'moonshine-base' })
    expect(wordErrorRate(spokenText, text)).toBeLessThan(MORE_ERRORS)
    expect([model, language]).toEqual(['moonshine-base', 'en'])
    expect(segments[0]?.start).toBeLessThan(1)
    expect(segments.at(-1)?.end).toBeGreaterThan(23)
    expect(segments.at(-1)?.end).toBeLessThan(25)
  })

  test('leaves a recording in another language to the default model', async () => {
    const italian = await recognize(inPieces(samplesOf('-i', italianClip)), { model: 'moonshine-base' })
    expect(italian).toMatchObject({ model: 'whisper-base', language: 'it' })
  })
})

test('a canceled recording is not continued, and the next one is recognized by the same process', async () => {
  await recognize(inPieces(shortSpeech))
  const { pid } = recognizer
  const controller = new AbortController()
  const progress: number[] = []
  const canceled = recognize(inPieces(speech, speech), {
    signal: controller.signal,
    onProgress: (seconds) => {
      progress.push(seconds)
      controller.abort(new Error('canceled'))
    },
  })
  await expect(canceled).rejects.toThrow('canceled')
  // Klingon, which the model does not know: the language is detected.
  const { text, language } = await recognize(inPieces(shortSpeech), { language: 'tlh' })
  expect(wordErrorRate(shortText, text)).toBeLessThan(FEW_OF_EIGHT)
  expect(language).toBe('en')
  expect(Math.max(...progress)).toBeLessThanOrEqual(secondsOf(speech.length / 2))
  expect(recognizer.pid).toBe(pid)
})

test.runIf(walls === 'bubblewrap')('the process has no network, and sees only the files that it needs', async () => {
  await recognize(inPieces(silenceOf(1)))
  const inside = descendantsOf(recognizer.pid ?? Number.NaN).find(({ command }) => command.startsWith('python'))?.pid
  const interfaces = readFileSync(`/proc/${inside}/net/dev`, 'utf8').match(/^\s*\w+(?=:)/gm)
  expect(interfaces?.map((name) => name.trim())).toEqual(['lo'])
  expect(readdirSync(`/proc/${inside}/root/tmp`)).toEqual(seenOfTmp)
  expect(readdirSync(`/proc/${inside}/root`)).not.toContain('home')
})
