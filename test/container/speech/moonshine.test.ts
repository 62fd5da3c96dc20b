import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { spokenText } from '../../../bench/speech/clips.ts'
import { wordErrorRate } from '../../../bench/speech/word-errors.ts'
import { clip, generated, samplesOf, silenceOf } from '../audio/recordings.ts'
import { startEngine, textOf } from './engine-process.ts'
import { installSpeech, toolsDir } from './installed-speech.ts'

/** Moonshine with its weights. Their whole numbers make a word or a full stop differ between processors. */
vi.setConfig({ testTimeout: 180_000 })

installSpeech()

const FEW_ERRORS = 0.1
const folder = join(toolsDir, 'models/moonshine-base')
const speech = Buffer.concat(
  (['0870', '0880', '0890', '0920', '0930'] as const).map((name) => samplesOf('-i', clip(name))),
)

test('speech is heard by Moonshine, its words have about their times, and nothing is heard in silence and noise', async () => {
  const engine = await startEngine('moonshine', folder)
  const heard = await engine.ask(Buffer.concat([silenceOf(20), speech]))
  expect(wordErrorRate(spokenText, textOf(heard))).toBeLessThan(FEW_ERRORS)
  expect(heard.language).toBe('en')
  let clock = 19.5
  for (const { start, end, confidence } of heard.words) {
    expect(start).toBeGreaterThanOrEqual(clock)
    expect(end).toBeGreaterThan(start)
    expect(confidence).toBeNull()
    clock = start
  }
  const startOf = (spoken: RegExp) => heard.words.find((word) => spoken.test(word.text))?.start ?? Number.NaN
  expect(Math.abs(startOf(/dashwood/i) - 21)).toBeLessThan(1)
  expect(Math.abs(startOf(/married/i) - 36)).toBeLessThan(1)

  const noise = generated('anoisesrc=duration=30:color=pink:seed=7:amplitude=0.3')
  expect(await engine.ask(Buffer.concat([silenceOf(10), noise]))).toMatchObject({ words: [], language: null })
  expect(await engine.ask(silenceOf(0))).toMatchObject({ words: [], consumedSamples: 0 })
})

test('the same words again and again are cut', async () => {
  const engine = await startEngine('moonshine', folder)
  const word = samplesOf('-ss', '0.3', '-t', '0.5', '-i', clip('0880'))
  const text = textOf(await engine.ask(Buffer.concat(Array(24).fill(word)))).toLowerCase()
  expect(text).not.toMatch(/(\b\w+\b)(\W+\1\b){4}/)
  expect(text).not.toMatch(/(\b\w+\W+\w+\b)(\W+\1\b){2}/)
})

test('the language of speech is told by Whisper, and none without speech', async () => {
  const engine = await startEngine('whisper', join(toolsDir, 'models/whisper-base'))
  const heard = await engine.ask(speech, { detect: true })
  expect(heard).toMatchObject({ event: 'language', language: 'en' })
  expect(heard.probability).toBeGreaterThan(0.9)
  expect(await engine.ask(silenceOf(5), { detect: true })).toMatchObject({ event: 'language', language: null })
})
