import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { spokenText } from '../../../bench/speech/clips.ts'
import { wordErrorRate } from '../../../bench/speech/word-errors.ts'
import { createRecognizer, type Recognizer } from '../../../container/speech/recognizer.ts'
import { speechSettings } from '../../../container/speech/recognizer-process.ts'
import { prepareAudio } from '../../../container/steps/audio.ts'
import { recognizeWith } from '../../../container/steps/recognize.ts'
import { type AudioOrder, ORDER_VERSION, type RecognizeOrder } from '../../../domain/protocol/protocol.ts'
import type { Segment } from '../../../domain/words/segment.ts'
import type { TranscriptBody } from '../../../domain/words/transcript-body.ts'
import { clip, ffmpeg, generated, italianClip, samplesOf, scratchFolder, silenceOf } from '../audio/recordings.ts'
import { installSpeech } from '../speech/installed-speech.ts'
import type { Behaviour } from './fake-worker.ts'
import { codeOf, createStepHarness, outcomeOf, resultOf } from './step-harness.ts'

// Recognizing three minutes of speech takes 30 s on two quiet cores, and several times that on busy ones.
const TIMEOUT_MS = 180_000
vi.setConfig({ testTimeout: TIMEOUT_MS })

const settings = speechSettings({})
const recognizer = createRecognizer(settings)
const folder = scratchFolder()
const web = createStepHarness(folder)

installSpeech()
beforeAll(() => recognizer.warm(), TIMEOUT_MS)
afterAll(() => recognizer.stop())

interface Options {
  language?: string | null
  words?: boolean
  limits?: { timeoutMs: number }
  behaviour?: Partial<Behaviour>
  stopping?: AbortSignal
  engine?: Pick<Recognizer, 'recognize'>
}

const start = (pieces: RecognizeOrder['pieces'], options: Options = {}) => {
  const { language = null, words, limits = {}, engine = recognizer, ...rest } = options
  const order = { pieces, language, limits, ...(words && { v: ORDER_VERSION, words }) }
  return web.start<RecognizeOrder>('recognize', recognizeWith(engine), order, rest)
}

/** Stores consecutive pieces as an audio step does. */
const storePieces = (...recordings: Buffer[]): RecognizeOrder['pieces'] => {
  let at = 0
  return recordings.map((samples) => {
    const offsetSeconds = at
    const durationSeconds = samples.length / 32_000
    at += durationSeconds
    return { url: web.fake.storeObject(samples), sizeBytes: samples.length, offsetSeconds, durationSeconds }
  })
}

const transcriptOf = async (pieces: RecognizeOrder['pieces'], options?: Options) => {
  await start(pieces, options)
  const { transcript, facts } = resultOf(web, 'recognize')
  // The last line has the words, if there are any.
  const lines = String(web.fake.stored(transcript)).split('\n')
  const body: TranscriptBody = JSON.parse(lines.at(-1) ?? '')
  expect(facts.segments).toBe(body.segments.length)
  return { ...body, facts }
}

const clips = (['0870', '0880', '0890', '0920', '0930'] as const).map((name) => samplesOf('-i', clip(name)))
const speech = Buffer.concat(clips)
const [short = speech] = clips.slice(1)
/** 198 s: two full batches of the engine, so that progress is reported before a piece is complete. */
const minutes = Buffer.concat(Array(8).fill(speech))

describe('speech', () => {
  test('is transcribed in order, in short segments, with its language and, when asked for, its words', async () => {
    const { text, segments, facts } = await transcriptOf(storePieces(...clips), { words: true })
    expect(facts.hasWords).toBe(true)
    expect((segments as Segment[]).flatMap(({ words = [] }) => words.map((word) => word.text)).join(' ')).toBe(text)
    expect(wordErrorRate(spokenText, text)).toBeLessThan(0.05)
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
    ['detected', null],
    ['given', 'it'],
    ['given with a region', 'it-IT'],
  ])('in another language is transcribed: the language is %s', async (_how, language) => {
    const { text, segments, facts } = await transcriptOf(storePieces(samplesOf('-i', italianClip)), { language })
    expect(facts).toMatchObject({ language: 'it', hasWords: false })
    for (const segment of segments) expect(segment).not.toHaveProperty('words')
    const spoken = 'Buongiorno. Questa è una frase breve in italiano. Speriamo che si capisca bene.'
    expect(wordErrorRate(spoken, text.replace(/buon giorno/i, 'buongiorno'))).toBeLessThan(0.2)
  })

  test('keeps its times when silent pieces were skipped', async () => {
    const [first, second] = storePieces(short, short)
    if (!first || !second) throw new Error('two pieces')
    const { segments, facts } = await transcriptOf([first, { ...second, offsetSeconds: 100 }])
    const later = segments.filter(({ start: from }) => from >= 100)
    expect(later.length).toBeGreaterThan(0)
    expect(segments.every(({ start: from, end }) => end <= first.durationSeconds + 0.1 || from >= 100)).toBe(true)
    expect(facts.durationSeconds).toBeCloseTo(100 + second.durationSeconds, 2)
  })

  test('has its progress reported', async () => {
    await transcriptOf(storePieces(minutes.subarray(0, minutes.length / 2), minutes.subarray(minutes.length / 2)))
    const recognizing = web.fake.progress.filter(({ stage }) => stage === 'recognizing')
    const percents = recognizing.map(({ percent }) => percent ?? -1)
    expect(percents).toEqual(percents.toSorted((one, other) => one - other))
    expect(percents.some((percent) => percent > 10 && percent < 95)).toBe(true)
  })

  test('is transcribed although storage fails twice', async () => {
    expect((await transcriptOf(storePieces(short), { behaviour: { failGets: 2 } })).segments.length).toBeGreaterThan(0)
  })
})

describe('audio without speech', () => {
  test.each([
    ['silence', () => silenceOf(40)],
    ['a tone', () => generated('sine=frequency=440:duration=40')],
    ['noise', () => generated('anoisesrc=color=pink:amplitude=0.1:seed=1:duration=40')],
    [
      'a melody',
      () =>
        generated(
          'aevalsrc=0.2*sin(2*PI*t*220*pow(2\\,floor(mod(t*2\\,8))*2/12))+0.1*sin(2*PI*t*330*pow(2\\,floor(mod(t*2\\,8))*2/12)):d=40',
        ),
    ],
  ])('fails with NO_SPEECH: %s', async (_what, samples) => {
    await start(storePieces(samples()))
    expect(codeOf(web)).toBe('NO_SPEECH')
    expect(web.fake.uploads).toEqual([])
  })
})

describe('the speech engine', () => {
  const damage = (path: string) => {
    const bytes = readFileSync(path)
    bytes[1_000_000] = (bytes[1_000_000] ?? 0) ^ 1
    writeFileSync(path, bytes)
  }

  test.each<[string, (modelDir: string) => void, string]>([
    ['an empty weights folder', (modelDir) => mkdirSync(modelDir), 'is not set up'],
    [
      'a damaged weights file',
      (modelDir) => {
        cpSync(settings.modelDir, modelDir, { recursive: true })
        damage(join(modelDir, 'model.bin'))
      },
      'does not match',
    ],
  ])(
    'with %s gives the step back as SPEECH_UNAVAILABLE, and the log has the reason',
    async (title, prepare, reason) => {
      const modelDir = join(folder, title.replaceAll(' ', '-'))
      prepare(modelDir)
      const engine = createRecognizer({ ...settings, modelDir })
      await start(storePieces(short), { engine })
      engine.stop()
      expect(outcomeOf(web)).toEqual({
        status: 'gaveBack',
        code: 'SPEECH_UNAVAILABLE',
        reason: expect.not.stringContaining(modelDir),
      })
      expect(web.log).toContainEqual({
        event: 'speech engine unavailable',
        fields: expect.objectContaining({ reason: expect.stringContaining(reason) }),
      })
    },
  )

  test('that is killed restarts and recognizes its piece again', async () => {
    const running = start(storePieces(minutes))
    await expect.poll(() => web.fake.progress.at(-1)?.percent ?? 0, { timeout: TIMEOUT_MS }).toBeGreaterThan(0)
    process.kill(Number(recognizer.pid), 'SIGKILL')
    await running
    const { facts } = resultOf(web, 'recognize')
    expect(facts.durationSeconds).toBeCloseTo(minutes.length / 32_000, 1)
  })
})

describe('a step that stops early', () => {
  test('leaves the engine free for the next step when the Worker stops it', async () => {
    const { pid } = recognizer
    await start(storePieces(minutes, minutes, minutes), {
      behaviour: { stopWhen: ({ percent }) => (percent ?? 0) > 0 },
    })
    expect(web.fake.outcomes).toEqual([])
    web.fake.behaviour.stopWhen = () => false
    await transcriptOf(storePieces(short))
    expect(recognizer.pid).toBe(pid)
    // One piece was being recognized and the next had been downloaded; the third had not.
    expect(web.fake.gets).toBe(2 + 1)
  })

  test('fails with TIMED_OUT when its time limit is exceeded', async () => {
    await start(storePieces(minutes, minutes), { limits: { timeoutMs: 1_500 } })
    expect(codeOf(web)).toBe('TIMED_OUT')
  })

  test('is given back when the container stops', async () => {
    const stopping = new AbortController()
    const running = start(storePieces(minutes, minutes), { stopping: stopping.signal })
    await expect.poll(() => web.fake.progress.at(-1)?.stage).toBe('recognizing')
    stopping.abort()
    await running
    expect(outcomeOf(web)).toMatchObject({ status: 'gaveBack' })
  })

  test('is given back when a piece is no longer in storage', async () => {
    const [piece] = storePieces(short)
    if (!piece) throw new Error('a piece')
    await start([{ ...piece, url: piece.url.replace(/storage\/.*\?/, 'storage/gone?') }])
    expect(outcomeOf(web)).toMatchObject({ status: 'gaveBack' })
  })
})

test('a media file goes through the audio and recognize steps', async () => {
  writeFileSync(join(folder, 'speech.pcm'), speech)
  const pcm = ['-f', 's16le', '-ar', '16000', '-ac', '1', '-i', join(folder, 'speech.pcm')]
  ffmpeg([...pcm, join(folder, 'speech.mp3')])
  const pieces = { encoding: 'samples', maxBytes: 8_000_000, maxSeconds: 10 } as const
  await web.start<AudioOrder>('audio', prepareAudio, { url: `${web.origin.url}/media/speech.mp3`, pieces })
  const audio = resultOf(web, 'audio')
  expect(audio.pieces.length).toBeGreaterThanOrEqual(3)
  const storedPieces = audio.pieces.map(({ upload, ...place }) => {
    const bytes = web.fake.stored(upload) ?? Buffer.alloc(0)
    return { ...place, url: web.fake.storeObject(bytes), sizeBytes: upload.sizeBytes }
  })
  web.fake.outcomes.length = 0
  const { text } = await transcriptOf(storedPieces)
  expect(wordErrorRate(spokenText, text)).toBeLessThan(0.08)
})
