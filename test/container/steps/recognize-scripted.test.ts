import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type SpeechSettings, speechSettings } from '../../../container/config.ts'
import { createRecognizer, type Recognizer } from '../../../container/speech/recognizer.ts'
import type { Progress } from '../../../domain/protocol/protocol.ts'
import { installScriptedSpeech, type ScriptedSpeech, scriptedText } from '../../doubles/speech/scripted-speech.ts'
import { clip, samplesOf, scratch, silenceOf } from '../audio/recordings.ts'
import { createRecognizeHarness } from './recognize-harness.ts'
import { codeOf, outcomeOf } from './step-harness.ts'

/** What a recognize step does around the recognition: with the scripted engine. */
let speech: ScriptedSpeech
let settings: SpeechSettings
let recognizer: Recognizer

const { web, start, storePieces, transcriptOf } = createRecognizeHarness(() => recognizer)

beforeAll(async () => {
  speech = await installScriptedSpeech()
  settings = speechSettings(speech.env)
  recognizer = createRecognizer(settings)
})
afterEach(() => speech.release())
afterAll(async () => {
  recognizer?.stop()
  await speech?.remove()
})

const short = samplesOf('-i', clip('0870'))
const text = scriptedText.slice(0, scriptedText.indexOf('.', 'And Mr.'.length) + 1)
const percents = () =>
  web.fake.progress.flatMap(({ stage, percent }) => (stage === 'recognizing' ? [percent ?? 0] : []))
const percentReported = () => expect.poll(() => percents().at(-1) ?? 0).toBeGreaterThan(0)

describe('speech', () => {
  test('keeps its times when silent pieces were skipped', async () => {
    const [first, second] = storePieces(short, short)
    if (!first || !second) throw new Error('two pieces')
    const { segments, facts } = await transcriptOf([first, { ...second, offsetSeconds: 100 }])
    const later = segments.filter(({ start: from }) => from >= 100)
    expect(later.map((segment) => segment.text).join(' ')).toBe(text)
    expect(segments.every(({ start: from, end }) => end <= first.durationSeconds + 0.1 || from >= 100)).toBe(true)
    expect(facts.durationSeconds).toBeCloseTo(100 + second.durationSeconds, 2)
  })

  test('is heard with the vocabulary, and the result says so', async () => {
    const vocabulary = { prompt: 'A novel.', keywords: ['Haldane Thorsvik', 'Quornby'] }
    const heard = await transcriptOf(storePieces(short), { vocabulary })
    expect(heard.text).toBe(text.replace('Mr. John Dashwood', 'Haldane Thorsvik'))
    expect(heard.facts).toMatchObject({ vocabulary: true })
  })

  test('has a result that says what the model is called, and nothing of a vocabulary if there is none', async () => {
    const { facts } = await transcriptOf(storePieces(short))
    expect(facts).toMatchObject({ model: 'whisper-base' })
    expect(facts).not.toHaveProperty('vocabulary')
  })

  test('has a result with the name that the manifest gives the model', async () => {
    const path = join(settings.modelDir, 'manifest.json')
    const manifest = readFileSync(path, 'utf8')
    onTestFinished(() => writeFileSync(path, manifest))
    writeFileSync(path, JSON.stringify({ ...JSON.parse(manifest), name: 'whisper-small.de' }))
    const engine = createRecognizer(settings)
    onTestFinished(engine.stop)
    expect((await transcriptOf(storePieces(short), { engine })).facts.model).toBe('whisper-small.de')
    const namedByPath = { ...JSON.parse(manifest), name: '/srv/models/whisper' }
    writeFileSync(path, JSON.stringify(namedByPath))
    expect(await createRecognizer(settings).health()).toContain('is not a valid manifest')
  })

  test('has its progress reported', async () => {
    await speech.hold()
    const transcribed = transcriptOf(storePieces(Buffer.concat([short, silenceOf(2), short]), short))
    await percentReported()
    const first = percents().at(-1)
    expect(first).toBeGreaterThan(10)
    expect(first).toBeLessThan(95)
    await speech.release()
    await transcribed
    expect(percents()).toEqual(percents().toSorted((one, other) => one - other))
  })

  test('is transcribed although storage fails twice', async () => {
    expect((await transcriptOf(storePieces(short), { behaviour: { failGets: 2 } })).text).toBe(text)
  })
})

test('audio without speech fails with NO_SPEECH', async () => {
  await start(storePieces(silenceOf(40)))
  expect(codeOf(web)).toBe('NO_SPEECH')
  expect(web.fake.uploads).toEqual([])
})

test('a step on a machine without weights is given back as SPEECH_UNAVAILABLE, and the log has the reason', async () => {
  const modelDir = scratch()
  const engine = createRecognizer({ ...settings, modelDir })
  await start(storePieces(short), { engine })
  engine.stop()
  expect(outcomeOf(web)).toEqual({
    status: 'gaveBack',
    code: 'SPEECH_UNAVAILABLE',
    reason: expect.not.stringContaining(modelDir),
    downloadedBytes: 0,
  })
  expect(web.log).toContainEqual({
    event: 'speech engine unavailable',
    fields: expect.objectContaining({ reason: expect.stringContaining('is not set up') }),
  })
})

test('a step hears with the model of its order, and is given back by an engine that does not have it', async () => {
  const engine = createRecognizer({ ...settings, models: [{ name: 'other', folder: settings.modelDir }] })
  onTestFinished(engine.stop)
  expect((await transcriptOf(storePieces(short), { engine, model: 'other' })).facts.model).toBe('other')
  web.fake.outcomes.length = 0
  await start(storePieces(short), { engine, model: 'another' })
  expect(outcomeOf(web)).toMatchObject({ status: 'gaveBack', code: 'SPEECH_UNAVAILABLE' })
})

describe('a step that stops early', () => {
  test('leaves the engine free for the next step when the Worker stops it', async () => {
    await recognizer.warm()
    const { pid } = recognizer
    await speech.hold()
    const stopWhen = ({ percent }: Progress) => (percent ?? 0) > 0 && web.fake.gets === 2
    await start(storePieces(short, short, short), { behaviour: { stopWhen } })
    expect(web.fake.outcomes).toEqual([])
    web.fake.behaviour.stopWhen = () => false
    await speech.release()
    expect((await transcriptOf(storePieces(short))).text).toBe(text)
    expect(recognizer.pid).toBe(pid)
    // One piece was being recognized and the next had been downloaded; the third had not.
    expect(web.fake.gets).toBe(2 + 1)
  })

  test('is given back when a piece is no longer in storage', async () => {
    const [piece] = storePieces(short)
    if (!piece) throw new Error('a piece')
    await start([{ ...piece, url: piece.url.replace(/storage\/.*\?/, 'storage/gone?') }])
    expect(outcomeOf(web)).toMatchObject({ status: 'gaveBack' })
  })
})
