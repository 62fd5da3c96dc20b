import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { speakerSettings, speechSettings } from '../../../container/config.ts'
import { createRecognizer, type Recognizer } from '../../../container/speech/recognizer.ts'
import { createSpeakerFinder, type SpeakerFinder } from '../../../container/speech/speakers.ts'
import { prepareAudioWith } from '../../../container/steps/audio.ts'
import { recognizeWith } from '../../../container/steps/recognize.ts'
import { type AudioOrder, ORDER_VERSION, type RecognizeOrder } from '../../../domain/protocol/protocol.ts'
import { type Turn, Turns } from '../../../domain/words/speaker-turns.ts'
import { installScriptedSpeech, type ScriptedSpeech } from '../../doubles/speech/scripted-speech.ts'
import { readStored } from '../../support/stored-transcript.ts'
import { clip, ffmpeg, scratchFolder } from '../audio/recordings.ts'
import { descendantsOf, killAll } from '../processes.ts'
import { createStepHarness, type OrderFields, outcomeOf, resultOf } from './step-harness.ts'

/** What the steps do around the search for speakers: with the scripted engine. */
const folder = scratchFolder()
const web = createStepHarness(folder)
let speech: ScriptedSpeech
let speakers: SpeakerFinder
let recognizer: Recognizer

beforeAll(async () => {
  speech = await installScriptedSpeech()
  speakers = createSpeakerFinder(speakerSettings(speech.env))
  recognizer = createRecognizer(speechSettings(speech.env))
  const clips = (['0870', '0880', '0890', '0920', '0930'] as const).map(clip)
  writeFileSync(join(folder, 'list.txt'), clips.map((path) => `file '${path}'\n`).join(''))
  ffmpeg(['-f', 'concat', '-safe', '0', '-i', join(folder, 'list.txt'), '-c:a', 'aac', join(folder, 'speech.m4a')])
})
afterEach(() => speech.release())
afterAll(async () => {
  recognizer?.stop()
  await speech?.remove()
})

const pieces = { encoding: 'samples', maxBytes: 50_000_000, maxSeconds: 240 } as const
const anyCount = { min: null, max: null }
type Options = Parameters<typeof web.start>[3]

const prepare = (fields: Partial<OrderFields<AudioOrder>> = {}, options: Options = {}, finder = speakers) => {
  const order = { v: ORDER_VERSION, url: `${web.origin.url}/media/speech.m4a`, pieces, speakers: anyCount, ...fields }
  return web.start<AudioOrder>('audio', prepareAudioWith(finder), order, options)
}

const turnsOf = ({ turns }: { turns?: Parameters<typeof web.fake.stored>[0] | undefined }): Turn[] =>
  turns ? Turns.parse(JSON.parse(String(web.fake.stored(turns)))).turns : []

describe('an audio step that is asked who speaks', () => {
  test('stores the turns beside the pieces', async () => {
    await prepare()
    const result = resultOf(web, 'audio')
    expect(turnsOf(result)).toMatchObject([
      { start: expect.closeTo(0, 0), speaker: 'A' },
      { speaker: 'B' },
      { speaker: 'B' },
      { speaker: 'A' },
      { end: expect.closeTo(24, 0), speaker: 'B' },
    ])
    expect(result.pieces).toHaveLength(1)
    expect(web.fake.uploads.map(({ kind }) => kind).sort()).toEqual(['audio', 'turns'])
  })

  test('hands on how many people speak', async () => {
    await prepare({ speakers: { min: 1, max: 1 } })
    expect(new Set(turnsOf(resultOf(web, 'audio')).map(({ speaker }) => speaker))).toEqual(new Set(['A']))
  })

  test('of a clip stores times of the media', async () => {
    await prepare({ clip: { startSeconds: 10, endSeconds: 20 } })
    const turns = turnsOf(resultOf(web, 'audio'))
    expect(turns[0]?.start).toBeGreaterThanOrEqual(10)
    expect(turns.at(-1)?.end).toBeGreaterThan(18)
    expect(turns.at(-1)?.end).toBeLessThan(20.5)
  })

  test('reports a progress that grows, and is not complete before both are', async () => {
    await speech.hold()
    const preparing = prepare({ heartbeatMs: 20 })
    await expect.poll(() => web.fake.progress.at(-1)?.percent ?? 0).toBeGreaterThan(75)
    expect(web.fake.outcomes).toEqual([])
    await speech.release()
    await preparing
    const percents = web.fake.progress.map(({ percent }) => percent ?? 0)
    expect(percents).toEqual(percents.toSorted((one, other) => one - other))
    expect(percents.at(-1)).toBeLessThanOrEqual(100)
  })

  test('whose program for speakers is killed is given back', async () => {
    await speech.hold()
    const preparing = prepare()
    const children = () => descendantsOf(process.pid).filter(({ args }) => args.includes('scripted-speakers.py'))
    await expect.poll(() => children().length).toBeGreaterThan(0)
    killAll(children())
    await preparing
    expect(outcomeOf(web)).toMatchObject({ status: 'gaveBack', reason: 'internal error' })
  })

  test('ends the program when the upload fails', async () => {
    await speech.hold()
    await prepare({}, { behaviour: { failPuts: 1_000 } })
    expect(outcomeOf(web)).toMatchObject({ status: 'gaveBack' })
    await expect
      .poll(() => descendantsOf(process.pid).filter(({ args }) => args.includes('scripted-speakers.py')))
      .toEqual([])
  })

  test('where the models are missing gives the step back as OPTION_UNSUPPORTED, and downloads nothing', async () => {
    const modelDir = join(folder, 'none')
    await prepare({}, {}, createSpeakerFinder({ ...speakerSettings(speech.env), modelDir }))
    expect(outcomeOf(web)).toEqual({
      status: 'gaveBack',
      code: 'OPTION_UNSUPPORTED',
      reason: expect.not.stringContaining(modelDir),
      downloadedBytes: 0,
    })
    expect(web.log).toContainEqual({
      event: 'speakers unavailable',
      fields: expect.objectContaining({ reason: expect.stringContaining('is not set up') }),
    })
  })
})

test('without the question an audio step has no turns', async () => {
  await web.start<AudioOrder>('audio', prepareAudioWith(speakers), {
    url: `${web.origin.url}/media/speech.m4a`,
    pieces,
  })
  expect(resultOf(web, 'audio').turns).toBeUndefined()
})

describe('a recognize step with turns', () => {
  const recognized = async (turns: Turn[] | null, words = true) => {
    await prepare()
    const [piece] = resultOf(web, 'audio').pieces
    if (!piece) throw new Error('a piece')
    const samples = web.fake.stored(piece.upload)
    if (!samples) throw new Error('samples')
    web.fake.outcomes.length = 0
    const stored = turns && Buffer.from(JSON.stringify({ turns }))
    await web.start<RecognizeOrder>('recognize', recognizeWith(recognizer), {
      v: ORDER_VERSION,
      language: null,
      words,
      pieces: [
        { url: web.fake.storeObject(samples), sizeBytes: samples.length, offsetSeconds: 0, durationSeconds: 24.7 },
      ],
      ...(stored && { turns: { url: web.fake.storeObject(stored), sizeBytes: stored.length } }),
    })
    return readStored(web.fake.stored(resultOf(web, 'recognize').transcript)).segments
  }

  test('gives words and segments their speakers, and a segment ends where the speaker changes', async () => {
    const segments = await recognized([
      { start: 0, end: 3, speaker: 'A' },
      { start: 3, end: 25, speaker: 'B' },
    ])
    expect(new Set(segments.map(({ speaker }) => speaker))).toEqual(new Set(['A', 'B']))
    for (const { speaker, words = [] } of segments) {
      expect(new Set(words.map((word) => word.speaker))).toEqual(new Set([speaker]))
    }
    const change = segments.find(({ speaker }) => speaker === 'B')
    expect(change?.start).toBeGreaterThan(2.5)
    expect(change?.start).toBeLessThan(3.5)
  })

  test('leaves segments their speakers when words are not asked for', async () => {
    const segments = await recognized([{ start: 0, end: 25, speaker: 'A' }], false)
    expect(segments.map(({ speaker, words }) => [speaker, words])).toEqual(segments.map(() => ['A', undefined]))
  })

  test.each([
    ['no turns', []],
    ['none in the order', null],
  ])('names nobody with %s', async (_what, turns) => {
    const segments = await recognized(turns)
    expect(segments.every(({ speaker }) => speaker === undefined)).toBe(true)
  })
})
