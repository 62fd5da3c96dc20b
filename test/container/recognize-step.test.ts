import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { said } from '../../bench/speech/clips.ts'
import { wordErrorRate } from '../../bench/speech/word-errors.ts'
import type { AudioOrder, RecognizeOrder } from '../../container/protocol.ts'
import { createRecognizer, type Recognizer } from '../../container/speech/engine/recognizer.ts'
import { speechSettings } from '../../container/speech/engine/settings.ts'
import { prepareSound } from '../../container/steps/audio.ts'
import { recognizeWith } from '../../container/steps/recognize.ts'
import { ensureSpeech } from '../../scripts/speech.mjs'
import type { TranscriptBody } from '../../worker/domain/jobs/view.ts'
import type { Behaviour } from './fake-worker.ts'
import { clip, ffmpeg, generated, italianClip, samplesOf, scratchFolder, silenceOf } from './sound.ts'
import { codeOf, outcomeOf, resultOf, stepBench } from './step-run.ts'

/** Minutes of speech take minutes where others want the processor too. */

const settings = speechSettings()
const recognizer = createRecognizer(settings)
const folder = scratchFolder()
const web = stepBench(folder)

beforeAll(async () => {
  await ensureSpeech({ venvPython: settings.python, toolsDir: dirname(dirname(settings.modelDir)), log: () => {} })
  await recognizer.warm()
})
afterAll(() => recognizer.stop())

interface Wish {
  language?: string | null
  limits?: { timeoutMs: number }
  behaviour?: Partial<Behaviour>
  stopping?: AbortSignal
  engine?: Pick<Recognizer, 'recognize'>
}

const start = (pieces: RecognizeOrder['pieces'], wish: Wish = {}) => {
  const { language = null, limits = {}, engine = recognizer, ...options } = wish
  return web.start<RecognizeOrder>('recognize', recognizeWith(engine), { pieces, language, limits }, options)
}

/** Samples as an audio step leaves them, one piece after the other. */
const stored = (...recordings: Buffer[]): RecognizeOrder['pieces'] => {
  let at = 0
  return recordings.map((samples) => {
    const offsetSeconds = at
    const durationSeconds = samples.length / 32_000
    at += durationSeconds
    return { url: web.fake.offer(samples), sizeBytes: samples.length, offsetSeconds, durationSeconds }
  })
}

const transcriptOf = async (pieces: RecognizeOrder['pieces'], wish?: Wish) => {
  await start(pieces, wish)
  const { transcript, facts } = resultOf(web, 'recognize')
  const body: TranscriptBody = JSON.parse(String(web.fake.stored(transcript)))
  expect(facts.segments).toBe(body.segments.length)
  return { ...body, facts }
}

const clips = (['0870', '0880', '0890', '0920', '0930'] as const).map((name) => samplesOf('-i', clip(name)))
const speech = Buffer.concat(clips)
const [short = speech] = clips.slice(1)
const minutes = Buffer.concat(Array(8).fill(speech))

describe('speech', () => {
  test('comes out word for word, in order, in sentences, with its language', async () => {
    const { text, segments, facts } = await transcriptOf(stored(...clips))
    expect(wordErrorRate(said, text)).toBeLessThan(0.05)
    expect(facts).toMatchObject({ language: 'en', durationSeconds: expect.closeTo(24.73, 2) })
    let clock = 0
    for (const { start: from, end } of segments) {
      expect(from).toBeGreaterThanOrEqual(clock)
      expect(end - from).toBeLessThanOrEqual(7)
      clock = end
    }
    expect(clock).toBeGreaterThan(23)
    expect(web.fake.uploads).toMatchObject([{ kind: 'transcript', contentType: 'application/json' }])
  })

  test.each([
    ['found out', null],
    ['given', 'it'],
    ['given with its region', 'it-IT'],
  ])('in another language, which is %s', async (_how, language) => {
    const { text, facts } = await transcriptOf(stored(samplesOf('-i', italianClip)), { language })
    expect(facts.language).toBe('it')
    const words = 'Buongiorno. Questa è una frase breve in italiano. Speriamo che si capisca bene.'
    expect(wordErrorRate(words, text.replace(/buon giorno/i, 'buongiorno'))).toBeLessThan(0.2)
  })

  test('keeps its times where silent pieces were left out', async () => {
    const [first, second] = stored(short, short)
    if (!first || !second) throw new Error('two pieces')
    const { segments, facts } = await transcriptOf([first, { ...second, offsetSeconds: 100 }])
    const later = segments.filter(({ start: from }) => from >= 100)
    expect(later.length).toBeGreaterThan(0)
    expect(segments.every(({ start: from, end }) => end <= first.durationSeconds + 0.1 || from >= 100)).toBe(true)
    expect(facts.durationSeconds).toBeCloseTo(100 + second.durationSeconds, 2)
  })

  test('says how far it is', async () => {
    await transcriptOf(stored(minutes.subarray(0, minutes.length / 2), minutes.subarray(minutes.length / 2)))
    const recognizing = web.fake.progress.filter(({ stage }) => stage === 'recognizing')
    const percents = recognizing.map(({ percent }) => percent ?? -1)
    expect(percents).toEqual(percents.toSorted((one, other) => one - other))
    expect(percents.some((percent) => percent > 10 && percent < 95)).toBe(true)
  })

  test('comes through a storage that stumbles', async () => {
    expect((await transcriptOf(stored(short), { behaviour: { failGets: 2 } })).segments.length).toBeGreaterThan(0)
  })
})

describe('without a word', () => {
  test.each([
    ['silence', () => silenceOf(40)],
    ['a tone', () => generated('sine=frequency=440:duration=40')],
    ['noise', () => generated('anoisesrc=color=pink:amplitude=0.1:seed=1:duration=40')],
    [
      'a tune',
      () =>
        generated(
          'aevalsrc=0.2*sin(2*PI*t*220*pow(2\\,floor(mod(t*2\\,8))*2/12))+0.1*sin(2*PI*t*330*pow(2\\,floor(mod(t*2\\,8))*2/12)):d=40',
        ),
    ],
  ])('%s is no speech', async (_what, samples) => {
    await start(stored(samples()))
    expect(codeOf(web)).toBe('NO_SPEECH')
    expect(web.fake.uploads).toEqual([])
  })
})

describe('an engine', () => {
  test('that is not there fails the job with the code of a provider, and the log says why', async () => {
    const missing = createRecognizer({ ...settings, modelDir: join(folder, 'no-model') })
    await start(stored(short), { engine: missing })
    missing.stop()
    expect(outcomeOf(web)).toMatchObject({
      status: 'failed',
      code: 'PROVIDER_FAILED',
      message: 'The built-in speech recognition is not available.',
    })
    expect(web.log).toContainEqual({
      event: 'no speech engine',
      fields: expect.objectContaining({ reason: expect.stringContaining('no-model') }),
    })
  })

  test('that is killed in the middle begins its piece again, and nothing is lost', async () => {
    const running = start(stored(minutes))
    await expect.poll(() => web.fake.progress.at(-1)?.percent ?? 0).toBeGreaterThan(0)
    process.kill(Number(recognizer.pid), 'SIGKILL')
    await running
    const { facts } = resultOf(web, 'recognize')
    expect(facts.durationSeconds).toBeCloseTo(minutes.length / 32_000, 1)
  })
})

describe('a step ends before its work is done', () => {
  test('without a word when the Worker says stop, and the engine is free for the next', async () => {
    const { pid } = recognizer
    await start(stored(minutes, minutes, minutes), { behaviour: { stopWhen: ({ percent }) => (percent ?? 0) > 0 } })
    expect(web.fake.outcomes).toEqual([])
    web.fake.behaviour.stopWhen = () => false
    await transcriptOf(stored(short))
    expect(recognizer.pid).toBe(pid)
    // One was being heard, the next was there already; the third was not begun.
    expect(web.fake.gets).toBe(2 + 1)
  })

  test('as TIMED_OUT when its time is up', async () => {
    await start(stored(minutes, minutes), { limits: { timeoutMs: 1_500 } })
    expect(codeOf(web)).toBe('TIMED_OUT')
  })

  test('given back when the container stops', async () => {
    const stopping = new AbortController()
    const running = start(stored(minutes, minutes), { stopping: stopping.signal })
    await expect.poll(() => web.fake.progress.at(-1)?.stage).toBe('recognizing')
    stopping.abort()
    await running
    expect(outcomeOf(web)).toMatchObject({ status: 'gaveBack' })
  })

  test('given back when a piece is not in the storage any more', async () => {
    const [piece] = stored(short)
    if (!piece) throw new Error('a piece')
    await start([{ ...piece, url: piece.url.replace(/storage\/.*\?/, 'storage/gone?') }])
    expect(outcomeOf(web)).toMatchObject({ status: 'gaveBack' })
  })
})

test('a film goes through both steps: sound in pieces, then words', async () => {
  writeFileSync(join(folder, 'speech.pcm'), speech)
  const pcm = ['-f', 's16le', '-ar', '16000', '-ac', '1', '-i', join(folder, 'speech.pcm')]
  ffmpeg([...pcm, join(folder, 'speech.mp3')])
  const pieces = { encoding: 'samples', maxBytes: 8_000_000, maxSeconds: 10 } as const
  await web.start<AudioOrder>('audio', prepareSound, { url: `${web.origin.url}/media/speech.mp3`, pieces })
  const sound = resultOf(web, 'audio')
  expect(sound.pieces.length).toBeGreaterThanOrEqual(3)
  const left = sound.pieces.map(({ upload, ...place }) => {
    const bytes = web.fake.stored(upload) ?? Buffer.alloc(0)
    return { ...place, url: web.fake.offer(bytes), sizeBytes: upload.sizeBytes }
  })
  web.fake.outcomes.length = 0
  const { text } = await transcriptOf(left)
  expect(wordErrorRate(said, text)).toBeLessThan(0.08)
})
