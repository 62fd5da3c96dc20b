import { expect, test } from 'vitest'
import { createAgreedBytes } from '../../../container/steps/download/agreed-bytes.ts'
import type { Agreed } from '../../../container/steps/progress.ts'
import type { Progress } from '../../../domain/protocol/protocol.ts'

/** A download and an account that answers each question when the test says so. */
const asking = () => {
  const listeners = new Set<(agreed: Agreed) => void>()
  let answered = Promise.withResolvers<void>()
  const questions: Partial<Progress>[] = []
  let asked: Partial<Progress> = {}
  let timeMs = 0
  const step = new AbortController()
  const progress = {
    set: (changed: Partial<Progress>) => {
      asked = { ...asked, ...changed }
    },
    flush: () => {
      questions.push(asked)
      return answered.promise
    },
    onAgreed: (listener: (agreed: Agreed) => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  const next = () => createAgreedBytes({ progress, signal: step.signal, now: () => timeMs })
  const agreed = next()
  return {
    ...agreed,
    questions,
    /** The next download of the same step. */
    next,
    stop: (reason: Error) => step.abort(reason),
    passes: (ms: number) => {
      timeMs += ms
    },
    /** What a later report repeats. */
    repeated: () => asked,
    answer: async (agreedBytes: number) => {
      const { resolve } = answered
      answered = Promise.withResolvers()
      for (const listener of listeners) listener({ bytes: agreedBytes, seconds: 0, changes: 0 })
      resolve()
      await Promise.resolve()
      await Promise.resolve()
    },
  }
}

const stateOf = async (promise: Promise<unknown>): Promise<string> => {
  const settled = promise.then(
    () => 'taken',
    (error) => `failed: ${error.message}`,
  )
  for (let i = 0; i < 5; i++) await Promise.resolve()
  return Promise.race([settled, Promise.resolve('waiting')])
}

test('nothing is taken before the first answer', async () => {
  const download = asking()
  const taken = download.take(10)
  expect(await stateOf(taken)).toBe('waiting')
  await download.answer(1_000_000)
  expect(await stateOf(taken)).toBe('taken')
})

test('a download asks ahead when half of the agreed bytes are taken, and goes on meanwhile', async () => {
  const download = asking()
  await download.answer(1_000_000)
  download.passes(1_000)
  expect(await stateOf(download.take(499_999))).toBe('taken')
  expect(download.questions).toEqual([])
  expect(await stateOf(download.take(1))).toBe('taken')
  expect(download.questions).toEqual([{ wantedBytes: 4_500_000 }])
  expect(await stateOf(download.take(500_000))).toBe('taken')
  expect(download.questions).toHaveLength(1)
})

test.each([
  ['slow', 100_000, 4_000_000],
  ['fast', 10_000_000, 20_000_000],
  ['very fast', 900_000_000, 32_000_000],
])('a %s download asks for what it takes in two seconds, from 4 to 32 MB', async (_speed, perSecond, ahead) => {
  const download = asking()
  await download.answer(perSecond)
  download.passes(1_000)
  await download.take(perSecond)
  expect(download.questions).toEqual([{ wantedBytes: perSecond + ahead }])
})

test('a download stops at the agreed bytes and says what it needs', async () => {
  const download = asking()
  await download.answer(100)
  await download.take(100)
  const next = download.take(7)
  expect(await stateOf(next)).toBe('waiting')
  await download.answer(100)
  expect(download.questions.at(-1)).toMatchObject({ neededBytes: 107 })
  await download.answer(107)
  expect(await stateOf(next)).toBe('taken')
  expect(download.repeated().neededBytes).toBeUndefined()
})

test('an announced size is asked for at once, and never again when it is agreed', async () => {
  const download = asking()
  download.announce(1_000)
  expect(download.questions).toMatchObject([{ wantedBytes: 1_000 }])
  await download.answer(1_000)
  await download.take(1_000)
  expect(download.questions).toHaveLength(1)
})

test('a question that stays without an answer is repeated by the next report', async () => {
  const download = asking()
  await download.answer(100)
  const needed = download.take(101)
  expect(await stateOf(needed)).toBe('waiting')
  expect(download.questions).toHaveLength(1)
  expect(download.repeated()).toMatchObject({ neededBytes: 101 })
})

test('connections that wait go on in the order in which they stopped', async () => {
  const download = asking()
  await download.answer(10)
  const [one, two] = [download.take(20), download.take(20)]
  await download.answer(20)
  expect([await stateOf(one), await stateOf(two)]).toEqual(['taken', 'waiting'])
  await download.answer(40)
  expect(await stateOf(two)).toBe('taken')
})

test('a download that waits fails when the step ends', async () => {
  const download = asking()
  const waiting = download.take(1)
  download.stop(new Error('canceled'))
  expect(await stateOf(waiting)).toBe('failed: canceled')
  expect(await stateOf(download.take(1))).toBe('failed: canceled')
})

test('what a download needs stays in the reports when an earlier one of its step has ended', async () => {
  const first = asking()
  const second = first.next()
  await first.answer(100)
  await first.take(100)
  first.close()
  const needed = second.take(107)
  expect(await stateOf(needed)).toBe('waiting')
  await first.answer(100)
  expect(first.repeated()).toMatchObject({ neededBytes: 107 })
  await first.answer(107)
  expect(await stateOf(needed)).toBe('taken')
})

test('a download whose size is agreed already asks nothing', async () => {
  const download = asking()
  await download.answer(1_000_000)
  download.announce(1_000_000)
  await download.take(1_000_000)
  expect(download.questions).toEqual([])
})
