import { expect, test } from 'vitest'
import type { Child } from '../../../scripts/start/child.ts'
import { supervise } from '../../../scripts/start/supervise.ts'

/** Programs that live as long as the test says, on a clock that nothing else moves but the pauses between them. */
const superviseLives = async (livesMs: number[]) => {
  let now = 0
  const startedAt: number[] = []
  const ended = Promise.withResolvers<string>()
  const start = (): Child => {
    const livedMs = livesMs[startedAt.length]
    startedAt.push(now)
    const die = async () => {
      if (livedMs === undefined) return new Promise<never>(() => ended.resolve('it runs'))
      now += livedMs
      return { reason: 'code 3' }
    }
    return { pid: 1, exited: Promise.resolve().then(die), stop: async () => {} }
  }
  const sleep = async (ms: number) => {
    now += ms
  }
  const printed: string[] = []
  const print = (line: string) => printed.push(line)
  const log = { tail: () => 'out of memory' }
  const supervised = supervise({ name: 'Worker', start, log, print, clock: { now: () => now, sleep } })
  supervised.gaveUp.then(({ message }) => ended.resolve(message))
  return { end: await ended.promise, startedAt, printed }
}

const gaveUp = 'The Worker keeps dying. The end of its log:\nout of memory'
const seconds = (...each: number[]) => each.map((s) => s * 1_000)

test('a program that dies at once is started after pauses that grow, and given up after the fifth of them', async () => {
  const { end, startedAt, printed } = await superviseLives(seconds(0, 0, 0, 0, 0, 0))
  expect(printed).toEqual(Array(5).fill('The Worker died (code 3); restarting it'))
  expect([end, startedAt]).toEqual([gaveUp, seconds(0, 0.25, 0.75, 1.75, 3.75, 7.75)])
})

test('a program that dies after six seconds each time never started: the pause before the next start is not its life', async () => {
  const { end, startedAt } = await superviseLives(seconds(6, 6, 6, 6, 6, 6, 6, 6, 6, 6))
  expect([end, startedAt.length]).toEqual([gaveUp, 6])
})

test('a program that ran for ten seconds is started again, however often it has died', async () => {
  const { end } = await superviseLives(seconds(6, 6, 6, 6, 6, 10, 6, 6, 6, 6, 6, 10))
  expect(end).toBe('it runs')
})
