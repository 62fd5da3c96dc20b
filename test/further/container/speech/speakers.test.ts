import { writeFileSync } from 'node:fs'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { wordErrorRate } from '../../../../bench/speech/word-errors.ts'
import { type SpeechSettings, speakerSettings, speechSettings } from '../../../../container/config.ts'
import { EngineUnavailable } from '../../../../container/speech/model-folder.ts'
import { createRecognizer } from '../../../../container/speech/recognizer.ts'
import { createSpeakerFinder } from '../../../../container/speech/speakers.ts'
import type { SpeakerCount } from '../../../../domain/protocol/protocol.ts'
import type { Turn } from '../../../../domain/words/speaker-turns.ts'
import { writeManifest } from '../../../../scripts/speech/weights.mjs'
import { generated, scratch, scratchFolder, silenceOf } from '../../../container/audio/recordings.ts'
import { descendantsOf, killAll } from '../../../container/processes.ts'
import { installSpeech } from '../../../container/speech/installed-speech.ts'
import { dialogue } from '../../../media/voices/dialogue.ts'
import { diarizationError, nameOf } from '../../../media/voices/diarization-error.ts'

/** Speakers, with the real models, in conversations made of recorded voices (test/media/voices). */
const settings = speakerSettings({})
const finder = createSpeakerFinder(settings)
const folder = scratchFolder()
const never = new AbortController().signal
const anyCount: SpeakerCount = { min: null, max: null }

installSpeech()

/** What takes long is part of `npm run test:long`. */
const long = process.env.HAUL_TEST_LONG ? test : test.skip

let files = 0
const recordingOf = (pcm: Buffer): string => {
  const path = join(folder, `${files++}.pcm`)
  writeFileSync(path, pcm)
  return path
}
const find = (pcm: Buffer, count = anyCount): Promise<Turn[]> => finder.find(recordingOf(pcm), count, { signal: never })
const peopleIn = (turns: Turn[]): string[] => [...new Set(turns.map(({ speaker }) => speaker))].sort()

/** Of four people two are men with like voices, and of two women each speaks another language. */
const readers = ['reader-2033', 'reader-3005', 'reader-1998', 'reader-3080']
const callers = ['allison', 'carlo', 'june']

const expectFound = async (people: string[], seconds: number, options: { seed?: number; overlaps?: number } = {}) => {
  const { pcm, turns } = dialogue(people, seconds, options)
  const found = await find(pcm)
  expect(peopleIn(found)).toHaveLength(people.length)
  expect(diarizationError(turns, found).total).toBeLessThan(0.08)
  expect(found[0]).toMatchObject({ speaker: 'A', start: expect.closeTo(turns[0]?.start ?? 0, 0) })
  expect(found).toEqual(found.toSorted((one, other) => one.start - other.start))
  for (const { start, end } of found) expect(end).toBeGreaterThan(start)
}

describe('all people in a conversation are found, and who speaks when, the first as A, in the order of their turns:', () => {
  test('three', () => expectFound(['allison', 'carlo', 'reader-3080'], 45))
  test('two men with like voices', () => expectFound(['reader-2033', 'reader-3005'], 30, { seed: 2 }))
  long('four', () => expectFound(readers, 90))
  long('six', () => expectFound([...callers, 'reader-2033', 'reader-3080', 'librivox'], 120, { seed: 2 }))
  long('two who often speak at once', () => expectFound(['reader-1998', 'reader-3080'], 90, { overlaps: 0.5 }))
  long('two synthesized voices', () => expectFound(['slt', 'rms'], 60))
  long('twelve minutes of seven', () => expectFound([...readers, ...callers], 720))
  long('an hour of ten', () => expectFound([...readers, ...callers, 'slt', 'rms', 'librivox'], 3_600))
})

long('what each of three people says has his name', async () => {
  const people = ['librivox', 'slt', 'rms']
  const { pcm, turns: truth, texts } = dialogue(people, 120)
  const turns = await find(pcm)
  const recognizer = createRecognizer(speechSettings({}))
  onTestFinished(() => recognizer.stop())
  const options = { language: 'en', turns, signal: never }
  const { segments } = await recognizer.recognize([{ offsetSeconds: 0, samples: pcm }], options)
  for (const person of people) {
    const name = nameOf(person, truth, turns)
    const said = segments.filter(({ speaker }) => speaker === name).map(({ text }) => text)
    expect(wordErrorRate(texts[person] ?? '', said.join(' '))).toBeLessThan(0.1)
  }
})

test('of a person alone all turns are his', async () => {
  const { pcm, turns } = dialogue(['allison'], 15)
  const found = await find(pcm)
  expect(peopleIn(found)).toEqual(['A'])
  expect(diarizationError(turns, found).total).toBeLessThan(0.05)
})

describe('a given number of speakers', () => {
  const { pcm } = dialogue(['allison', 'carlo', 'reader-3080'], 24)

  test.each<[SpeakerCount, number]>([
    [{ min: null, max: 2 }, 2],
    [{ min: 4, max: null }, 4],
  ])('%j is respected', async (count, people) => {
    expect(peopleIn(await find(pcm, count))).toHaveLength(people)
  })
})

test.each([
  ['noise', () => generated('anoisesrc=duration=12:amplitude=0.1:seed=1')],
  ['an empty recording', () => Buffer.alloc(0)],
  ['a recording of one sample', () => Buffer.alloc(2)],
])('nobody speaks in %s', async (_what, samples) => {
  expect(await find(samples())).toEqual([])
})

describe('the program that finds speakers', () => {
  const { pcm } = dialogue(['allison', 'carlo'], 120)
  const children = () => descendantsOf(process.pid).filter(({ args }) => args.includes('speakers/main.py'))

  test('that is killed in the middle fails, and the next recording has its turns', async () => {
    const { promise: begun, resolve } = Promise.withResolvers<void>()
    const found = finder.find(recordingOf(pcm), anyCount, { signal: never, onProgress: () => resolve() })
    const next = find(dialogue(['allison'], 10).pcm)
    await begun
    killAll(children())
    await expect(found).rejects.toThrow('ended with')
    expect(peopleIn(await next)).toEqual(['A'])
  })

  test('is ended by an abort, and reports a position that grows until then', async () => {
    const aborting = new AbortController()
    const positions: number[] = []
    const onProgress = (seconds: number) => {
      positions.push(seconds)
      if (positions.length === 3) aborting.abort(new Error('enough'))
    }
    const found = finder.find(recordingOf(pcm), anyCount, { signal: aborting.signal, onProgress })
    await expect(found).rejects.toThrow('enough')
    expect(positions).toEqual(positions.toSorted((one, other) => one - other))
    await expect.poll(children).toEqual([])
  })

  test('does not start for a recording that was aborted while it waited', async () => {
    const first = find(silenceOf(12))
    const aborted = finder.find(recordingOf(pcm), anyCount, { signal: AbortSignal.abort(new Error('gone')) })
    await expect(aborted).rejects.toThrow('gone')
    expect(await first).toEqual([])
  })
})

/** More about damaged files is in model.test.ts. */
describe('where models are missing or no models, they are unavailable, and health says why:', () => {
  const reasonWith = async (changed: Partial<SpeechSettings>): Promise<string> => {
    const damaged = createSpeakerFinder({ ...settings, ...changed })
    const error = await damaged
      .find(recordingOf(silenceOf(1)), anyCount, { signal: never })
      .catch((caught: unknown) => caught)
    if (!(error instanceof EngineUnavailable)) throw error
    return error.reason
  }

  test('no folder', async () => {
    const modelDir = join(scratch(), 'none')
    expect(await reasonWith({ modelDir })).toContain('not set up')
    const missing = createSpeakerFinder({ ...settings, modelDir })
    expect(missing.lookAgain()).toBeUndefined()
    expect(await missing.health()).toContain('not set up')
    expect(missing.lookAgain()).toBe(false)
  })

  test('a folder with another kind of model', async () => {
    const modelDir = scratch()
    await writeFile(join(modelDir, 'model.bin'), 'no weights')
    await writeManifest(modelDir, { origin: 'a test' })
    expect(await reasonWith({ modelDir })).toContain('is not a valid manifest')
  })

  test('files that are no models, or have changed', async () => {
    const modelDir = join(scratch(), 'speakers')
    await mkdir(modelDir)
    for (const name of ['segmentation.onnx', 'encoder.onnx']) await writeFile(join(modelDir, name), 'no weights')
    await writeManifest(modelDir, { origin: 'a test' })
    expect(await reasonWith({ modelDir })).toMatch(/InvalidProtobuf|Fail/)
    await writeFile(join(modelDir, 'encoder.onnx'), 'no weighty')
    expect(await reasonWith({ modelDir })).toContain('does not match the manifest')
  })

  test('no Python', async () => {
    const without = createSpeakerFinder({ ...settings, python: join(scratch(), 'python') })
    expect(await without.health()).toContain('python is missing')
    await expect(without.check()).rejects.toThrow(EngineUnavailable)
  })
})

test('the threshold of another encoder comes with its manifest', async () => {
  const modelDir = join(scratch(), 'speakers')
  await cp(settings.modelDir, modelDir, { recursive: true })
  const { files: listed } = JSON.parse(await readFile(join(modelDir, 'manifest.json'), 'utf8'))
  await writeFile(join(modelDir, 'manifest.json'), JSON.stringify({ files: listed, threshold: -1 }))
  const other = createSpeakerFinder({ ...settings, modelDir })
  const { pcm } = dialogue(['allison', 'carlo'], 20)
  expect(peopleIn(await other.find(recordingOf(pcm), anyCount, { signal: never }))).toEqual(['A'])
})
