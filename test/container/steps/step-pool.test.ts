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
  const finish = async (left = 0) => {
    for (const end of endings) end()
    await expect.poll(() => pool.running).toBe(left)
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

const never = new AbortController().signal

test('a stopping pool ends its probes and the line without a result', async () => {
  const { pool } = poolOf(1)
  const running = pool.probe('acct_a', never, (signal) => new Promise((resolve) => (signal.onabort = () => resolve(1))))
  const waiting = pool.probe('acct_b', never, async () => 2)
  await expect.poll(() => pool.running).toBe(1)
  await pool.stop()
  expect(await Promise.all([running, waiting, pool.probe('acct_c', never, async () => 3)])).toEqual([null, null, null])
  expect(pool.running).toBe(0)
})

test('while a probe waits, the freed place is its, and the next order is refused', async () => {
  const { pool, finish } = poolOf(1)
  pool.accept(orderOf('imp_a'))
  const probed = Promise.withResolvers<string>()
  const probe = pool.probe('acct_b', never, () => probed.promise)
  await finish(1)
  expect(pool.accept(orderOf('imp_b'))).toBe('full')
  probed.resolve('film')
  expect(await probe).toBe('film')
  expect(pool.accept(orderOf('imp_b'))).toBe('accepted')
})

test('a probe that fails frees its place', async () => {
  const { pool } = poolOf(1)
  const failing = pool.probe('acct_a', never, () => Promise.reject(new Error('broken')))
  await expect(failing).rejects.toThrow('broken')
  expect(pool.running).toBe(0)
})

test('an account has at most one place less than all, and the last is for others', () => {
  const { pool } = poolOf(3)
  const accept = (jobId: string, accountId: string) => pool.accept({ ...orderOf(jobId), accountId })
  expect(['imp_1', 'imp_2', 'imp_3'].map((jobId) => accept(jobId, 'acct_a'))).toEqual(['accepted', 'accepted', 'full'])
  expect(accept('imp_4', 'acct_b')).toBe('accepted')
})
