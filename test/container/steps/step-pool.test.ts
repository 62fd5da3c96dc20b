import { expect, test } from 'vitest'
import { createStepPool } from '../../../container/steps/step-pool.ts'
import type { FetchOrder, StepOrder } from '../../../domain/protocol/protocol.ts'

const orderOf = (jobId: string, attempt = 1): FetchOrder => ({
  ...{ step: 'fetch', jobId, attempt, url: 'https://example.com/video.mp4' },
  callback: { url: 'https://haul.example/steps', token: 'token' },
  selection: { includeVideo: true, includeAudio: true, videoQuality: 'best', audioQuality: 'best' },
  limits: { maxBytes: 1, maxDurationSeconds: 1, timeoutMs: 1 },
})

/** A pool whose steps run until they are finished by `finish` or by the stop of the pool. */
const poolOf = (capacity: number) => {
  const runs: string[] = []
  const endings: (() => void)[] = []
  const pool = createStepPool(capacity, ({ jobId, attempt }: StepOrder, stopping) => {
    runs.push(`${jobId} ${attempt}`)
    return new Promise((resolve) => {
      endings.push(resolve)
      stopping.addEventListener('abort', () => resolve())
    })
  })
  const finish = async () => {
    for (const end of endings) end()
    await expect.poll(() => pool.running).toBe(0)
  }
  return { pool, runs, finish }
}

test('an order that is delivered again with the same attempt number runs once, also after its end', async () => {
  const { pool, runs, finish } = poolOf(2)
  expect([pool.accept(orderOf('imp_a')), pool.accept(orderOf('imp_a'))]).toEqual(['accepted', 'accepted'])
  await finish()
  expect(pool.accept(orderOf('imp_a'))).toBe('accepted')
  expect(runs).toEqual(['imp_a 1'])
})

test('an order of the same job and step runs again under each higher attempt number', async () => {
  const { pool, runs, finish } = poolOf(3)
  pool.accept(orderOf('imp_a', 1))
  pool.accept(orderOf('imp_a', 2))
  await finish()
  pool.accept(orderOf('imp_a', 5))
  expect(runs).toEqual(['imp_a 1', 'imp_a 2', 'imp_a 5'])
})

test('an order that a full pool refused runs when it is sent again', async () => {
  const { pool, runs, finish } = poolOf(1)
  pool.accept(orderOf('imp_a'))
  expect(pool.accept(orderOf('imp_b'))).toBe('full')
  await finish()
  expect(pool.accept(orderOf('imp_b'))).toBe('accepted')
  expect(runs).toEqual(['imp_a 1', 'imp_b 1'])
})

test('a stopping pool accepts no orders and waits for the running steps', async () => {
  const { pool, runs } = poolOf(2)
  pool.accept(orderOf('imp_a'))
  const stopped = pool.stop()
  expect(pool.accept(orderOf('imp_b'))).toBe('stopping')
  await stopped
  expect([pool.running, pool.stopping, runs]).toEqual([0, true, ['imp_a 1']])
})
