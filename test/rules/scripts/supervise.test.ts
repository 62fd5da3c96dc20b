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
  const log = { tail: () => '' }
  const supervised = supervise({ name: 'Worker', start, log, print: () => {}, clock: { now: () => now, sleep } })
  supervised.gaveUp.then(() => ended.resolve('gave up'))
  return { end: await ended.promise, startedAt }
}

const seconds = (...each: number[]) => each.map((s) => s * 1_000)

test('a program that dies at once is started after pauses that grow, and given up after the fifth of them', async () => {
  const { end, startedAt } = await superviseLives(seconds(0, 0, 0, 0, 0, 0))
  expect([end, startedAt]).toEqual(['gave up', seconds(0, 0.25, 0.75, 1.75, 3.75, 7.75)])
})

test('a program that dies after six seconds each time never started: the pause before the next start is not its life', async () => {
  const { end, startedAt } = await superviseLives(seconds(6, 6, 6, 6, 6, 6, 6, 6, 6, 6))
  expect([end, startedAt.length]).toEqual(['gave up', 6])
})

test('a program that ran for ten seconds is started again, however often it has died', async () => {
  const { end } = await superviseLives(seconds(6, 6, 6, 6, 6, 10, 6, 6, 6, 6, 6, 10))
  expect(end).toBe('it runs')
})
