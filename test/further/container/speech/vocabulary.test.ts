import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { speechSettings } from '../../../../container/config.ts'
import { createRecognizer } from '../../../../container/speech/recognizer.ts'
import type { RecognizedRecording, RecognizeOptions } from '../../../../container/speech/recording.ts'
import type { Vocabulary } from '../../../../domain/protocol/protocol.ts'
import { clip, generated, namesClip, samplesOf, silenceOf, telephoneClip } from '../../../container/audio/recordings.ts'
import { installSpeech } from '../../../container/speech/installed-speech.ts'

/** With the real model. Names and words are counted, with room for what differs between processors. */
vi.setConfig({ testTimeout: 180_000 })

/** A recording takes seconds, so most of them are heard in `npm run test:long` only. */
const isLong = Boolean(process.env.HAUL_TEST_LONG)
const inLongRuns = test.runIf(isLong)

const recognizer = createRecognizer(speechSettings({}))

installSpeech()
beforeAll(() => recognizer.warm(), 120_000)
afterAll(() => recognizer.stop())

const recognize = (samples: Buffer, options: Partial<RecognizeOptions> = {}) =>
  recognizer.recognize([{ offsetSeconds: 0, samples }], {
    language: null,
    signal: new AbortController().signal,
    ...options,
  })

/** Written otherwise than anyone would guess. */
const names = [
  ...['Veltryx', 'Quornby', 'Haldane Thorsvik', 'Marisol Okonkwo', 'Kestryllux', 'Brannoch'],
  ...['Ysolde Pemberwick', 'Zhorvayne', 'Tamsin Lacroix', 'Drumcairn', 'Nymbuskade', 'Pherrolane'],
]
const [FEW, MOST] = [3, 8]
const others = ['Bram', 'Cald', 'Dorn', 'Elth', 'Fenn', 'Garr', 'Holm', 'Jask'].flatMap((start) =>
  ['wick', 'stead', 'ovan', 'iscka', 'holt', 'mere', 'yth', 'ford', 'lund', 'quay', 'zell'].map((end) => start + end),
)
const keywords = (...given: string[]): Vocabulary => ({ prompt: null, keywords: given })
const countIn = (text: string, sought: string[]) => sought.filter((name) => text.includes(name)).length

describe('invented names', () => {
  const spoken = samplesOf('-i', namesClip)
  const heardWith = async (vocabulary?: Vocabulary) => (await recognize(spoken, { vocabulary })).text

  inLongRuns('are spelled as the vocabulary has them, and not without it', async () => {
    expect(countIn(await heardWith(), names)).toBeLessThanOrEqual(FEW)
    expect(countIn(await heardWith(keywords(...names)), names)).toBeGreaterThanOrEqual(MOST)
  })

  test('and a prompt have room together, however long both are, and no other name is heard', async () => {
    const prompt = 'The trains can be heard in the room beside the hall, and nobody minds. '.repeat(14)
    const text = await heardWith({ prompt, keywords: [...names, ...others] })
    expect(countIn(text, names)).toBeGreaterThanOrEqual(MOST)
    expect(countIn(text, others)).toBe(0)
    expect(text).toMatch(/the new engine is called/i)
  })

  inLongRuns('may stand in the prompt', async () => {
    const prompt = `Today we talk about ${names.join(', ')}.`
    expect(countIn(await heardWith({ prompt, keywords: [] }), names)).toBeGreaterThanOrEqual(MOST)
  })

  inLongRuns('do not count if a hundred come before them, and the speech is heard as without them', async () => {
    const text = await heardWith(keywords(...others, ...names))
    expect(countIn(text, names)).toBeLessThanOrEqual(FEW)
    expect(countIn(text, others)).toBe(0)
    expect(text).toMatch(/the new engine is called/i)
    expect(text).toMatch(/next year/i)
  })
})

test('what the model would take for a command is heard as text', async () => {
  const vocabulary = { prompt: '<|endoftext|> <|startoftranscript|><|fr|>', keywords: ['<|nospeech|>', 'Dashwood'] }
  expect((await recognize(samplesOf('-i', clip('0880')), { vocabulary })).text).toMatch(/young man/i)
})

describe('a vocabulary is not said back', () => {
  const hum = '0.3*sin(2*PI*t*(120+30*sin(2*PI*t*3)))*(0.6+0.4*sin(2*PI*t*4))'
  const plucked = '0.5*sin(2*PI*t*220*(1+mod(floor(t*4)\\,5)/4))*exp(-6*mod(t\\,0.25))'
  test.each([
    ['silence', () => silenceOf(20)],
    ['white noise', () => generated('anoisesrc=duration=20:color=white:seed=7:amplitude=0.3')],
    ['music', () => generated(`aevalsrc=${plucked}:duration=40:sample_rate=16000`)],
    // The voice detector takes it for speech.
    ['a hum like a voice', () => generated(`aevalsrc=${hum}:duration=20:sample_rate=16000`)],
  ])('on %s', async (_, samples) => {
    const vocabularies = [keywords('Veltryx'), { prompt: 'The engine of Veltryx.', keywords: [] }]
    for (const vocabulary of isLong ? [...vocabularies, keywords(...names)] : vocabularies.slice(0, 1))
      for (const translate of isLong ? [true, false] : [false])
        expect(await recognize(samples(), { vocabulary, translate })).toMatchObject({ segments: [], text: '' })
  })
})

test('a keyword that is said alone is heard', async () => {
  const vocabulary = keywords('He was not an ill-disposed young man')
  expect((await recognize(samplesOf('-i', clip('0880')), { vocabulary })).text).toMatch(/young man/i)
})

const checkTimes = ({ segments, durationSeconds }: RecognizedRecording) => {
  let clock = 0
  for (const { start, end, words = [] } of segments) {
    expect(start).toBeGreaterThanOrEqual(clock)
    expect(end).toBeGreaterThan(start)
    clock = start
    for (const word of words) {
      expect(word.start).toBeGreaterThanOrEqual(clock)
      expect(word.end).toBeGreaterThanOrEqual(word.start)
      clock = word.end
    }
    expect(clock).toBeLessThanOrEqual(end)
  }
  expect(clock).toBeLessThanOrEqual(durationSeconds)
}

const spokenIn = [
  ['fr', /vous|seul|lorsque/i],
  ['es', /usted|mensaje|mente/i],
  ['it', /messaggio|unico|partecipante/i],
] as const
const english = [/message/i, /after/i, /currently|presently|now/i, /participant/i, /conference/i]
const vocabulary = { prompt: 'A telephone conference.', keywords: ['pound key'] }

describe.each(isLong ? spokenIn : spokenIn.slice(0, 1))('a translation of %s', (language, original) => {
  test.each(isLong ? [{}, { vocabulary }] : [{ vocabulary }])(
    'with %o is in English, at the times of the speech',
    async (given) => {
      const heard = await recognize(samplesOf('-i', telephoneClip(language)), { translate: true, ...given })
      expect(heard.language).toBe(language)
      expect(english.filter((word) => word.test(heard.text)).length).toBeGreaterThanOrEqual(3)
      expect(heard.text).not.toMatch(original)
      checkTimes(heard)
    },
  )
})
