import { afterEach, expect, test } from 'vitest'
import type { AudioPiece } from '../../../worker/domain/jobs/job.ts'
import { assemblyai } from '../../../worker/speech/providers/assemblyai.ts'
import { deepgram } from '../../../worker/speech/providers/deepgram.ts'
import type { SpeechProvider } from '../../../worker/speech/providers/provider.ts'
import { type Engine, type Heard, type Note, recognizeSlice, type Shelf } from '../../../worker/speech/recognize.ts'
import { startAssemblyAI } from '../../providers/assemblyai.ts'
import { startDeepgram } from '../../providers/deepgram.ts'
import { type HeardAudio, oggBytes, saying } from '../../providers/speech.ts'

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

/** Pieces are told apart by a mark in their bytes; each says one sentence. */
const speech = ({ bytes }: HeardAudio) => saying(`This is piece number ${bytes[100]}.`)

const pieces = (count: number): AudioPiece[] =>
  Array.from({ length: count }, (_, index) => ({
    key: `audio/${index}`,
    offsetSeconds: index * 10,
    durationSeconds: 10,
    sizeBytes: 1_000,
  }))

/** Storage in memory: what outlives a message. */
const newShelf = () => {
  const notes = new Map<string, Note>()
  const words = new Map<string, Heard>()
  const shelf: Shelf = {
    open: async ({ key }) => new Blob([oggBytes(1_000, Number(key.slice(6)))]).stream(),
    note: async ({ key }) => notes.get(key) ?? null,
    keep: async ({ key }, note, heard) => {
      notes.set(key, note)
      if (heard) words.set(key, heard)
    },
    heard: async ({ key }) => words.get(key) as Heard,
  }
  return { shelf, notes, words }
}

const withKey = (provider: SpeechProvider, apiKey: string): Engine => ({
  parallel: 2,
  start: (piece) => provider.start({ ...piece, options: {}, apiKey }),
  poll: (providerJobId, signal) => provider.poll({ providerJobId, apiKey, signal }),
})

const slice = (engine: Engine, shelf: Shelf, count: number, isLate = () => false) =>
  recognizeSlice({
    engine,
    shelf,
    pieces: pieces(count),
    language: 'en',
    signal: AbortSignal.timeout(10_000),
    isLate,
    onHeard: () => {},
  })

const newDeepgram = async () => {
  const fake = await startDeepgram({ speech })
  open.push(fake.close)
  return { fake, engine: withKey(deepgram(fake.url), fake.apiKey) }
}

test('pieces that are heard side by side come back in order, at their places in time', async () => {
  const { engine } = await newDeepgram()
  const done = await slice(engine, newShelf().shelf, 5)
  if (done.state !== 'done') throw new Error(done.state)
  expect(done.heard.segments.map(({ start, text }) => [start, text])).toEqual([
    [0, 'This is piece number 0.'],
    [10, 'This is piece number 1.'],
    [20, 'This is piece number 2.'],
    [30, 'This is piece number 3.'],
    [40, 'This is piece number 4.'],
  ])
})

test('what was heard before a crash is not sent to the provider again', async () => {
  const { fake, engine } = await newDeepgram()
  const { shelf } = newShelf()
  expect(await slice(engine, shelf, 3)).toMatchObject({ state: 'done', isFurther: true })
  expect(await slice(engine, shelf, 3)).toMatchObject({ state: 'done', isFurther: false })
  expect(fake.requests).toHaveLength(3)
})

test('when its time is over a slice begins no other piece, and the next slice goes on at once', async () => {
  const { fake, engine } = await newDeepgram()
  const { shelf, words } = newShelf()
  const isLate = () => words.size > 0
  expect(await slice(engine, shelf, 4, isLate)).toMatchObject({ state: 'later', afterMs: 0, isFurther: true })
  expect(fake.requests.length).toBeLessThan(4)
  expect(await slice(engine, shelf, 4)).toMatchObject({ state: 'done' })
  expect(fake.requests).toHaveLength(4)
})

test('a piece that the provider refuses ends it, and keeps what was heard', async () => {
  const { fake, engine } = await newDeepgram()
  const { shelf, words } = newShelf()
  fake.next({ status: 429, headers: { 'retry-after': '7' }, body: { err_code: 'TOO_MANY_REQUESTS', err_msg: 'slow' } })
  const refused = await slice(engine, shelf, 6)
  expect(refused).toMatchObject({ state: 'failed', failed: { code: 'PROVIDER_RATE_LIMITED' }, retryAfterSeconds: 7 })
  expect(words.size).toBeLessThan(6)
  expect(await slice(engine, shelf, 6)).toMatchObject({ state: 'done' })
})

test('jobs at the provider are begun once, asked for until they are over, and named to be forgotten', async () => {
  const fake = await startAssemblyAI({ speech })
  open.push(fake.close)
  const engine = withKey(assemblyai(fake.url), fake.apiKey)
  const { shelf } = newShelf()
  let last = await slice(engine, shelf, 2)
  expect(last).toMatchObject({ state: 'later', afterMs: 3_000 })
  for (let polls = 0; last.state === 'later' && polls < 5; polls++) last = await slice(engine, shelf, 2)
  expect(last).toMatchObject({ state: 'done', heard: { text: 'This is piece number 0. This is piece number 1.' } })
  expect(fake.jobs.size).toBe(2)
  expect(last.providerJobIds.toSorted()).toEqual([...fake.jobs.keys()].toSorted())
})
