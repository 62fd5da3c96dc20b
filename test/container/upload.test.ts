import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openSpool } from '../../container/steps/spool.ts'
import { finished, upload } from '../../container/steps/upload.ts'
import { createWorker, LeaseLost } from '../../container/worker.ts'
import { type Behaviour, type FakeWorker, startFakeWorker } from './fake-worker.ts'

const MiB = 1024 * 1024
let folder: string
let fake: FakeWorker
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haul-upload-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))
afterEach(() => fake.close())

const prepare = async (behaviour: Partial<Behaviour> = {}) => {
  fake = await startFakeWorker({ partSizeBytes: MiB, singleLimitBytes: MiB, ...behaviour })
  const step = new AbortController()
  return { step, worker: createWorker(fake.callback, step.signal) }
}

const written = async (bytes: Buffer) => {
  const path = join(folder, createHash('sha1').update(bytes).digest('hex'))
  await writeFile(path, bytes)
  return finished(path)
}
const order = (sizeBytes: number | null) => ({ kind: 'media' as const, contentType: 'video/mp4', sizeBytes })

test.each([
  ['a small file goes in one piece', MiB - 1],
  ['a large one in equal parts and a rest', 12 * MiB + 5],
  ['one that ends with a part leaves no empty part behind', 3 * MiB],
])('%s', async (_title, size) => {
  const { step, worker } = await prepare()
  const bytes = randomBytes(size)
  const uploaded = await upload(await written(bytes), order(size), worker, step.signal)
  expect(uploaded.sizeBytes).toBe(size)
  expect(fake.stored(uploaded)?.equals(bytes)).toBe(true)
  const parts = fake.puts.filter(({ part }) => part !== null).map(({ bytes: sent }) => sent)
  expect(parts.filter((sent) => sent !== MiB).length).toBeLessThanOrEqual(1)
})

test('parts are sent while the file still grows, and its size need not be known', async () => {
  const { step, worker } = await prepare()
  const bytes = randomBytes(2 * MiB + 77)
  const spool = await openSpool(join(folder, 'growing'), { digest: true, signal: step.signal })
  const uploading = upload(spool, order(null), worker, step.signal)
  await spool.write(bytes.subarray(0, MiB), 0)
  await expect.poll(() => fake.puts.length).toBe(1)
  await spool.write(bytes.subarray(MiB), MiB)
  spool.finish()
  const uploaded = await uploading
  expect(fake.stored(uploaded)?.equals(bytes)).toBe(true)
  expect(uploaded.sizeBytes).toBe(bytes.length)
  await spool.close()
})

test('a part that failed is sent again to a fresh address', async () => {
  const { step, worker } = await prepare({ failPuts: 2 })
  const bytes = randomBytes(3 * MiB)
  const uploaded = await upload(await written(bytes), order(bytes.length), worker, step.signal)
  expect(fake.stored(uploaded)?.equals(bytes)).toBe(true)
  expect(fake.puts.length).toBe(5)
})

test('a storage that never accepts is a fault, after some attempts', async () => {
  const { step, worker } = await prepare({ failPuts: 1_000 })
  const file = await written(randomBytes(10))
  await expect(upload(file, order(10), worker, step.signal)).rejects.toThrow()
  expect(fake.puts.length).toBeGreaterThan(1)
  expect(fake.puts.length).toBeLessThan(10)
})

test('when the step ends, nothing more is sent', async () => {
  const { step, worker } = await prepare()
  const spool = await openSpool(join(folder, 'ended'), { digest: false, signal: step.signal })
  const uploading = upload(spool, order(null), worker, step.signal)
  await spool.write(randomBytes(MiB), 0)
  await expect.poll(() => fake.puts.length).toBe(1)
  step.abort(new Error('canceled'))
  await expect(uploading).rejects.toThrow('canceled')
  await spool.close()
  expect(fake.puts.length).toBe(1)
})

test('a lost lease is told apart from a fault', async () => {
  const { worker } = await prepare({ progress: 'lost' })
  const progress = {
    stage: 'downloading',
    percent: null,
    downloadedBytes: 0,
    totalBytes: null,
    bytesPerSecond: null,
  } as const
  await expect(worker.progress(progress)).rejects.toBeInstanceOf(LeaseLost)
})
