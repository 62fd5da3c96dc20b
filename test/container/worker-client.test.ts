import { createHash, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { openSpool } from '../../container/source/spool.ts'
import { completeFile, createWorkerClient, uploadFile } from '../../container/worker-client.ts'
import { scratchFolder } from './audio/recordings.ts'
import { type Behaviour, type FakeWorker, startFakeWorker } from './steps/fake-worker.ts'

const MiB = 1024 * 1024
const folder = scratchFolder()
let fake: FakeWorker
afterEach(() => fake.close())

const prepare = async (behaviour: Partial<Behaviour> = {}) => {
  fake = await startFakeWorker({ partSizeBytes: MiB, singleLimitBytes: MiB, ...behaviour })
  const step = new AbortController()
  onTestFinished(() => step.abort())
  return { step, worker: createWorkerClient(fake.callback, step.signal) }
}

const writeFileOf = async (bytes: Buffer) => {
  const path = join(folder, createHash('sha1').update(bytes).digest('hex'))
  await writeFile(path, bytes)
  return completeFile(path)
}
const order = (sizeBytes: number | null) => ({ kind: 'media' as const, contentType: 'video/mp4', sizeBytes })

test.each([
  ['a small file is uploaded with a single PUT', MiB - 1],
  ['a large file is uploaded in equal parts and a smaller last one', 12 * MiB + 5],
  ['a file of exactly three parts has no empty fourth one', 3 * MiB],
])('%s', async (_title, size) => {
  const { step, worker } = await prepare()
  const bytes = randomBytes(size)
  const uploaded = await uploadFile(await writeFileOf(bytes), order(size), { worker, signal: step.signal })
  expect(uploaded.sizeBytes).toBe(size)
  expect(fake.stored(uploaded)?.equals(bytes)).toBe(true)
  const parts = fake.puts.filter(({ part }) => part !== null).map(({ bytes: sent }) => sent)
  expect(parts.filter((sent) => sent !== MiB).length).toBeLessThanOrEqual(1)
})

test('a small file is uploaded to the URL that came with the order, and to another one if that fails', async () => {
  const { step } = await prepare({ failPuts: 1 })
  const worker = createWorkerClient(fake.callback, step.signal, fake.planUploads())
  const bytes = randomBytes(10)
  const file = await writeFileOf(bytes)
  const thumbnail = { kind: 'thumbnail' as const, contentType: 'image/jpeg', sizeBytes: 10 }
  for (const request of [order(10), thumbnail]) {
    const uploaded = await uploadFile(file, request, { worker, signal: step.signal })
    expect(uploaded).toMatchObject({ key: request.kind, uploadId: null })
    expect(fake.stored(uploaded)?.equals(bytes)).toBe(true)
  }
  expect([fake.puts.length, fake.uploads.map(({ kind }) => kind)]).toEqual([3, ['media']])
})

test.each([
  ['a large file', MiB + 1],
  ['a file of unknown size', null],
])('%s is not uploaded to the URL that came with the order', async (_title, sizeBytes) => {
  const { step } = await prepare()
  const worker = createWorkerClient(fake.callback, step.signal, fake.planUploads())
  expect(await worker.planUpload(order(sizeBytes))).toMatchObject({ kind: 'multipart' })
})

test('parts of a growing file of unknown size are uploaded before it is complete', async () => {
  const { step, worker } = await prepare()
  const bytes = randomBytes(2 * MiB + 77)
  const spool = await openSpool(join(folder, 'growing'), { digest: true, signal: step.signal })
  const uploading = uploadFile(spool, order(null), { worker, signal: step.signal })
  await spool.write(bytes.subarray(0, MiB), 0)
  await expect.poll(() => fake.puts.length).toBe(1)
  await spool.write(bytes.subarray(MiB), MiB)
  await spool.finish()
  const uploaded = await uploading
  expect(fake.stored(uploaded)?.equals(bytes)).toBe(true)
  expect(uploaded.sizeBytes).toBe(bytes.length)
})

test.each([
  ['a file of few parts is uploaded with the URLs of its plan', 20, 12 * MiB, []],
  ['further URLs are requested in batches', 4, 17 * MiB, [5, 15]],
])('%s', async (_title, plannedUrls, size, requested) => {
  const { step, worker } = await prepare({ plannedUrls })
  const bytes = randomBytes(size)
  const uploaded = await uploadFile(await writeFileOf(bytes), order(size), { worker, signal: step.signal })
  expect(fake.stored(uploaded)?.equals(bytes)).toBe(true)
  expect(fake.parts.map(({ firstPart }) => firstPart).sort((one, other) => one - other)).toEqual(requested)
})

test('a failed part is uploaded again to a new URL', async () => {
  const { step, worker } = await prepare({ failPuts: 2 })
  const bytes = randomBytes(3 * MiB)
  const uploaded = await uploadFile(await writeFileOf(bytes), order(bytes.length), { worker, signal: step.signal })
  expect(fake.stored(uploaded)?.equals(bytes)).toBe(true)
  expect(fake.puts.length).toBe(5)
})

test('an upload that keeps failing is an error after several attempts', async () => {
  const { step, worker } = await prepare({ failPuts: 1_000 })
  const file = await writeFileOf(randomBytes(10))
  await expect(uploadFile(file, order(10), { worker, signal: step.signal })).rejects.toThrow()
  expect(fake.puts.length).toBeGreaterThan(1)
  expect(fake.puts.length).toBeLessThan(10)
})

test('when the step is aborted, nothing more is uploaded', async () => {
  const { step, worker } = await prepare()
  const spool = await openSpool(join(folder, 'ended'), { digest: false, signal: step.signal })
  const uploading = uploadFile(spool, order(null), { worker, signal: step.signal })
  await spool.write(randomBytes(MiB), 0)
  await expect.poll(() => fake.puts.length).toBe(1)
  step.abort(new Error('canceled'))
  await expect(uploading).rejects.toThrow('canceled')
  expect(fake.puts.length).toBe(1)
})
