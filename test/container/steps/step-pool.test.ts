import { expect, test } from 'vitest'
import { createDisk } from '../../../container/steps/disk.ts'
import { createStepPool, type StepControl } from '../../../container/steps/run.ts'
import { GivenBack } from '../../../container/steps/step.ts'
import type { FetchOrder } from '../../../domain/protocol/protocol.ts'

const orderOf = (jobId: string, attempt = 1): FetchOrder => ({
  ...{ step: 'fetch', jobId, attempt, url: 'https://example.com/video.mp4' },
  callback: { url: 'https://haul.example/steps', token: 'token' },
  selection: { includeVideo: true, includeAudio: true, videoQuality: 'best', audioQuality: 'best' },
  ...{ accountId: 'acct_test', placeId: 'place', heartbeatMs: 10_000, diskBytes: 0 },
  agreed: { bytes: null, seconds: null },
  limits: { maxBytes: 1, maxDiskBytes: 1, maxDurationSeconds: 1, timeoutMs: 1 },
})

/** A pool whose steps run until they are finished by `finish` or by the stop of the pool. */
const poolOf = (maxRunning: number, diskBytes = 1_000) => {
  const runs: string[] = []
  const canceled: string[] = []
  const endings: (() => void)[] = []
  const controls: StepControl[] = []
  const pool = createStepPool({ maxRunning, disk: createDisk(diskBytes) }, ({ jobId, attempt }, control) => {
    runs.push(`${jobId} ${attempt}`)
    controls.push(control)
    return new Promise((resolve) => {
      endings.push(resolve)
      control.ending.signal.addEventListener('abort', () => {
        if (!(control.ending.signal.reason instanceof GivenBack)) canceled.push(jobId)
        resolve()
      })
    })
  })
  const finish = async (left = 0) => {
    for (const end of endings) end()
    await expect.poll(() => pool.running).toBe(left)
  }
  return { pool, runs, canceled, controls, finish }
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

test('an order under a later lease stops the attempts before it, and no other job', async () => {
  const { pool, canceled, finish } = poolOf(4)
  for (const [jobId, attempt] of [
    ['imp_a', 2],
    ['imp_b', 1],
    ['imp_a', 3],
  ] as const)
    pool.accept(orderOf(jobId, attempt))
  await expect.poll(() => pool.running).toBe(2)
  expect(canceled).toEqual(['imp_a'])
  await finish()
})

test('a step of which only the outcome is left to report leaves its place and its disk space to another', async () => {
  const { pool, controls, finish } = poolOf(1, 10)
  pool.accept({ ...orderOf('imp_a'), diskBytes: 10 })
  expect(pool.accept({ ...orderOf('imp_b'), diskBytes: 10 })).toBe('full')
  controls[0]?.endWork()
  expect(pool.accept({ ...orderOf('imp_b'), diskBytes: 10 })).toBe('accepted')
  expect(pool.steps.map(({ jobId, diskBytes }) => [jobId, diskBytes])).toEqual([
    ['imp_a', 0],
    ['imp_b', 10],
  ])
  await finish()
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
  expect([pool.running, pool.draining, runs]).toEqual([0, true, ['imp_a 1']])
})

test('a draining pool accepts no orders, repeats its answer to known ones, and resolves when the last step ends', async () => {
  const { pool, finish } = poolOf(3)
  pool.accept(orderOf('imp_a'))
  const drained = pool.drain()
  expect([pool.accept(orderOf('imp_b')), pool.accept(orderOf('imp_a'))]).toEqual(['stopping', 'accepted'])
  expect([pool.running, pool.draining]).toEqual([1, true])
  await finish()
  await drained
})

test('a canceled job ends its step of that attempt only', async () => {
  const { pool, canceled } = poolOf(3)
  for (const jobId of ['imp_a', 'imp_b']) pool.accept(orderOf(jobId, 2))
  pool.cancel({ jobId: 'imp_a', attempt: 2 })
  pool.cancel({ jobId: 'imp_b', attempt: 1 })
  pool.cancel({ jobId: 'imp_unknown', attempt: 1 })
  await expect.poll(() => pool.running).toBe(1)
  expect([canceled, pool.steps.map(({ jobId }) => jobId)]).toEqual([['imp_a'], ['imp_b']])
})

test('running steps are listed with their account, place and reserved disk space', async () => {
  const { pool, finish } = poolOf(3)
  const place = { accountId: 'acct_a', placeId: 'place_1', diskBytes: 600 }
  pool.accept({ ...orderOf('imp_a'), ...place })
  expect(pool.steps).toEqual([{ jobId: 'imp_a', step: 'fetch', attempt: 1, ...place }])
  await finish()
  expect(pool.steps).toEqual([])
})

test('an order whose disk space is not free is refused until a step ends', async () => {
  const { pool, finish } = poolOf(3, 1_000)
  const accept = (jobId: string, diskBytes: number) => pool.accept({ ...orderOf(jobId), diskBytes })
  expect([accept('imp_a', 600), accept('imp_b', 401), accept('imp_c', 400)]).toEqual(['accepted', 'full', 'accepted'])
  await finish()
  expect(accept('imp_b', 1_000)).toBe('accepted')
})

const never = new AbortController().signal

test('a stopping pool ends its probes without a result', async () => {
  const { pool } = poolOf(2)
  const running = pool.probe(never, (signal) => new Promise((resolve) => (signal.onabort = () => resolve(1))))
  await expect.poll(() => pool.running).toBe(1)
  await pool.stop()
  expect(await Promise.all([running, pool.probe(never, async () => 3)])).toEqual([null, null])
  expect(pool.running).toBe(0)
})

test('a draining pool waits for its probes, and starts no other', async () => {
  const { pool } = poolOf(2)
  const probed = Promise.withResolvers<string>()
  const probe = pool.probe(never, () => probed.promise)
  const drained = pool.drain()
  expect(await pool.probe(never, async () => 'other')).toBe(null)
  probed.resolve('film')
  expect(await probe).toBe('film')
  await drained
})

test('steps and probes have one limit', async () => {
  const { pool } = poolOf(1)
  const probed = Promise.withResolvers<string>()
  const probe = pool.probe(never, () => probed.promise)
  expect(pool.accept(orderOf('imp_a'))).toBe('full')
  expect(await pool.probe(never, async () => 'other')).toBe(null)
  probed.resolve('film')
  await probe
  expect(pool.accept(orderOf('imp_a'))).toBe('accepted')
})

test('a probe that fails makes room for the next', async () => {
  const { pool } = poolOf(1)
  await expect(pool.probe(never, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(pool.running).toBe(0)
})
