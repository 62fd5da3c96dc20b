import { afterAll, beforeAll, expect, test } from 'vitest'
import { speechSettings } from '../../../container/config.ts'
import type { RecognizeOptions } from '../../../container/speech/recognizer.ts'
import { createRecognizer, type Recognizer } from '../../../container/speech/recognizer.ts'
import { installScriptedSpeech, type ScriptedSpeech, scriptedText } from '../../doubles/speech/scripted-speech.ts'
import { clip, generated, samplesOf, silenceOf } from '../audio/recordings.ts'

/** messages.test.ts compares its messages with the real engine's. */
let speech: ScriptedSpeech
let recognizer: Recognizer

beforeAll(async () => {
  speech = await installScriptedSpeech()
  recognizer = createRecognizer(speechSettings(speech.env))
})
afterAll(async () => {
  recognizer?.stop()
  await speech?.remove()
})

const [first, second, ...others] = (['0870', '0880', '0890', '0920', '0930'] as const).map((name) =>
  samplesOf('-i', clip(name)),
) as [Buffer, Buffer, ...Buffer[]]
const firstSentence = scriptedText.slice(0, scriptedText.indexOf('.', 'And Mr.'.length) + 1)

const recognize = (samples: Buffer, options: Partial<RecognizeOptions> = {}) =>
  recognizer.recognize([{ offsetSeconds: 10, samples }], {
    language: null,
    signal: new AbortController().signal,
    ...options,
  })

test('the clips in order are recognized word for word, with their times', async () => {
  const { text, language, segments, durationSeconds } = await recognize(Buffer.concat([first, second, ...others]))
  expect(text).toBe(scriptedText)
  expect(language).toBe('en')
  expect(durationSeconds).toBeCloseTo(34.73, 2)
  const words = segments.flatMap((segment) => segment.words ?? [])
  expect(words.map((word) => word.text).join(' ')).toBe(text)
  const startOf = (sought: string) => words.find((word) => word.text === sought)?.start
  expect(startOf('unless')).toBeCloseTo(10 + 10.3, 0)
  expect(startOf('Had')).toBeCloseTo(10 + 15.6, 0)
})

test('a part of them has the words of its length, and after a pause the words start again', async () => {
  expect((await recognize(first)).text).toBe(firstSentence)
  const { text, segments } = await recognize(Buffer.concat([first, silenceOf(3), first]))
  expect(text).toBe(`${firstSentence} ${firstSentence}`)
  expect(segments.find(({ start }) => start > 18)?.start).toBeCloseTo(10 + 7.1 + 3, 0)
})

test('a requested language is given back', async () => {
  expect((await recognize(first, { language: 'de-AT' })).language).toBe('de')
})

test.each([
  ['silence', () => silenceOf(20)],
  ['a tone', () => generated('sine=frequency=440:duration=20')],
  ['noise', () => generated('anoisesrc=duration=20:color=pink:seed=7:amplitude=0.6')],
  ['no samples', () => silenceOf(0)],
])('%s has no words', async (_, samples) => {
  expect(await recognize(samples())).toMatchObject({ segments: [], text: '', language: null })
})

test('a held recognition reports progress and goes on when it is released', async () => {
  await speech.hold()
  const begun = Promise.withResolvers<number>()
  let ended = false
  const recognizing = recognize(first, { onProgress: begun.resolve }).finally(() => {
    ended = true
  })
  expect(await begun.promise).toBeCloseTo(10 + 6.7, 0)
  expect(ended).toBe(false)
  await speech.release()
  expect((await recognizing).text).toBe(firstSentence)
})
