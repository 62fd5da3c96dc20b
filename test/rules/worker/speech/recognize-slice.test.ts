import { afterEach, expect, test } from 'vitest'
import type { AudioPiece } from '../../../../domain/jobs/job.ts'
import { assemblyai } from '../../../../worker/speech/providers/assemblyai.ts'
import { deepgram } from '../../../../worker/speech/providers/deepgram.ts'
import type { SpeechProvider } from '../../../../worker/speech/providers/provider.ts'
import type { Asked, RecognizedAudio } from '../../../../worker/speech/recognition.ts'
import {
  type PieceRecognizer,
  type PieceState,
  type PieceStore,
  recognizeSlice,
} from '../../../../worker/speech/recognize-slice.ts'
import { startAssemblyAI } from '../../../doubles/providers/assemblyai.ts'
import { startDeepgram } from '../../../doubles/providers/deepgram.ts'
import { type AudioInput, oggBytes, speechOf } from '../../../doubles/providers/speech.ts'

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

/** The speech of each piece is one sentence, with a number from the piece's bytes. */
const speech = ({ bytes }: AudioInput) => speechOf(`This is piece number ${bytes[100]}.`)

const pieces = (count: number): AudioPiece[] =>
  Array.from({ length: count }, (_, index) => ({
    key: `audio/${index}`,
    offsetSeconds: index * 10,
    durationSeconds: 10,
    sizeBytes: 1_000,
  }))

/** Storage in memory, which several slices share. */
const newStore = () => {
  const states = new Map<string, PieceState>()
  const saved = new Map<string, RecognizedAudio>()
  const store: PieceStore = {
    openAudio: async ({ key }) => new Blob([oggBytes(1_000, Number(key.slice(6)))]).stream(),
    readState: async ({ key }) => states.get(key) ?? null,
    save: async ({ key }, state, recognized) => {
      states.set(key, state)
      if (recognized) saved.set(key, recognized)
    },
    readRecognized: async ({ key }) => saved.get(key) as RecognizedAudio,
  }
  return { store, states, saved }
}

const withKey = (provider: SpeechProvider, apiKey: string): PieceRecognizer => ({
  parallel: 2,
  knownSpeakers: [],
  takesVocabulary: true,
  start: (piece) => provider.start({ ...piece, options: {}, apiKey }),
  poll: (providerJobId, signal) => provider.poll({ providerJobId, apiKey, signal }),
})

const nothing: Asked = { words: false, speakers: null }

const runSlice = (
  recognizer: PieceRecognizer,
  store: PieceStore,
  count: number,
  isLate = () => false,
  asked = nothing,
) =>
  recognizeSlice({
    recognizer,
    store,
    pieces: pieces(count),
    language: 'en',
    asked,
    signal: AbortSignal.timeout(10_000),
    isLate,
    onRecognized: () => {},
  })

const newDeepgram = async () => {
  const fake = await startDeepgram({ speech })
  open.push(fake.close)
  return { fake, recognizer: withKey(deepgram(fake.url), fake.apiKey) }
}

test('pieces that are recognized in parallel are joined in order with the right times', async () => {
  const { recognizer } = await newDeepgram()
  const done = await runSlice(recognizer, newStore().store, 5)
  if (done.state !== 'done') throw new Error(done.state)
  expect(done.recognized.segments.map(({ start, text }) => [start, text])).toEqual([
    [0, 'This is piece number 0.'],
    [10, 'This is piece number 1.'],
    [20, 'This is piece number 2.'],
    [30, 'This is piece number 3.'],
    [40, 'This is piece number 4.'],
  ])
})

test('a piece that was recognized before a crash is not sent to the provider again', async () => {
  const { fake, recognizer } = await newDeepgram()
  const { store } = newStore()
  expect(await runSlice(recognizer, store, 3)).toMatchObject({ state: 'done', hasProgressed: true })
  expect(await runSlice(recognizer, store, 3)).toMatchObject({ state: 'done', hasProgressed: false })
  expect(fake.requests).toHaveLength(3)
})

test.each([true, false])('a result says whether the vocabulary was used: %s', async (takesVocabulary) => {
  const { fake, recognizer } = await newDeepgram()
  const asked = { ...nothing, vocabulary: { prompt: null, keywords: ['Haul'] } }
  const done = await runSlice({ ...recognizer, takesVocabulary }, newStore().store, 2, () => false, asked)
  if (done.state !== 'done') throw new Error(done.state)
  expect(done.recognized).toMatchObject({ vocabulary: takesVocabulary, model: 'general-nova-3' })
  expect(fake.requests.map(({ query }) => query.getAll('keyterm'))).toEqual([['Haul'], ['Haul']])
})

test('words are stored with the segments only when they are asked for', async () => {
  const { recognizer } = await newDeepgram()
  const { store, saved } = newStore()
  const asked = { words: true, speakers: null }
  const done = await runSlice(recognizer, store, 2, () => false, asked)
  if (done.state !== 'done') throw new Error(done.state)
  expect(done.recognized.segments[1]?.words?.[0]).toEqual({ start: 10, end: 10.25, text: 'This', confidence: 0.999 })
  const without = newStore()
  await runSlice(recognizer, without.store, 2)
  expect(JSON.stringify([...saved.values()])).toContain('"words"')
  expect(JSON.stringify([...without.saved.values()])).not.toContain('"words"')
})

test('a late slice starts no further piece, and the next slice continues at once', async () => {
  const { fake, recognizer } = await newDeepgram()
  const { store, saved } = newStore()
  const isLate = () => saved.size > 0
  expect(await runSlice(recognizer, store, 4, isLate)).toMatchObject({
    state: 'later',
    afterMs: 0,
    hasProgressed: true,
  })
  expect(fake.requests.length).toBeLessThan(4)
  expect(await runSlice(recognizer, store, 4)).toMatchObject({ state: 'done' })
  expect(fake.requests).toHaveLength(4)
})

test('a failed piece ends the slice, and the recognized pieces are kept', async () => {
  const { fake, recognizer } = await newDeepgram()
  const { store, saved } = newStore()
  fake.next({ status: 429, headers: { 'retry-after': '7' }, body: { err_code: 'TOO_MANY_REQUESTS', err_msg: 'slow' } })
  const refused = await runSlice(recognizer, store, 6)
  expect(refused).toMatchObject({ state: 'failed', failed: { code: 'PROVIDER_RATE_LIMITED' }, retryAfterSeconds: 7 })
  expect(saved.size).toBeLessThan(6)
  expect(await runSlice(recognizer, store, 6)).toMatchObject({ state: 'done' })
})

test('when storage fails for one piece, the piece under way is kept and no other is sent to the provider', async () => {
  const { fake, recognizer } = await newDeepgram()
  const { store, saved } = newStore()
  const openAudio = async (piece: AudioPiece) => {
    if (piece.key === 'audio/0') throw new Error('R2 is unavailable')
    return store.openAudio(piece)
  }
  await expect(runSlice(recognizer, { ...store, openAudio }, 6)).rejects.toThrow('R2 is unavailable')
  expect([...saved.keys()]).toEqual(['audio/1'])
  expect(fake.requests).toHaveLength(1)
})

test('provider jobs are started once, polled until they are done, and returned for deletion', async () => {
  const fake = await startAssemblyAI({ speech })
  open.push(fake.close)
  const recognizer = withKey(assemblyai(fake.url), fake.apiKey)
  const { store } = newStore()
  let last = await runSlice(recognizer, store, 2)
  expect(last).toMatchObject({ state: 'later', afterMs: 3_000 })
  for (let polls = 0; last.state === 'later' && polls < 5; polls++) last = await runSlice(recognizer, store, 2)
  const segments = ['This is piece number 0.', 'This is piece number 1.'].map((text) => ({ text }))
  expect(last).toMatchObject({ state: 'done', recognized: { segments } })
  expect(fake.jobs.size).toBe(2)
  expect(last.providerJobIds.toSorted()).toEqual([...fake.jobs.keys()].toSorted())
})
