import { expect, test } from 'vitest'
import type { BatchItem } from '../../../domain/batches/batch.ts'
import { failure } from '../../../domain/codes/failures.ts'
import { fetchedFile, fetchedImport, importRequest, leased } from '../support/account.ts'
import { newBatchAccount } from '../support/account-batches.ts'

const about = { uploader: 'Ann', publishedAt: null, description: null, tags: [], language: null }
const bucketFull = { ...failure('STORAGE_FAILED', 'The bucket is full.'), retryable: true }

/** A batch of films that all have this title. */
const titled = async (count: number, storageKey: string) => {
  const calls = await newBatchAccount(undefined, 5)
  const { url: _, ...request } = importRequest({ store: true, storageKey })
  const batchId = await calls.start(count, { item: { kind: 'import', request } })
  /** Fetches an item of a batch, and returns the key of its media. It then fails, as if the bucket were full. */
  const keyOf = async ({ jobId: started, url }: BatchItem, extension = 'mp4', title = 'Twins'): Promise<string> => {
    const jobId = started ?? ''
    const source = { ...about, id: `of ${url.split('/').at(-1)}` }
    const media = { ...fetchedImport(1_000), title, filename: `${title}.${extension}`, about: source }
    await calls.account.finishFetch(await leased(calls.account, jobId), fetchedFile(media))
    const task = await calls.account.claimCopy(jobId)
    await calls.account.failStep({ jobId, lease: task?.lease ?? '' }, bucketFull)
    return task?.job.bucketKey ?? ''
  }
  const keysOf = async (id: string): Promise<string[]> => {
    await calls.check(id)
    const keys: string[] = []
    for (const item of await calls.live(id)) keys.push(await keyOf(item))
    return keys
  }
  return { ...calls, batchId, keyOf, keysOf }
}

test('items of a batch with one title get keys of their own, and keep them when they are retried', async () => {
  const { batchId, keysOf, retry } = await titled(3, '{uploader}/{title}.{ext}')
  const keys = await keysOf(batchId)
  expect(keys).toEqual(['Ann/Twins.mp4', 'Ann/Twins [of 1.mp4].mp4', 'Ann/Twins [of 2.mp4].mp4'])
  const again = await retry(batchId)
  expect(await keysOf(again)).toEqual(keys)
  expect(await keysOf(await retry(again))).toEqual(keys)
})

test('an item that failed before it had a key keeps its number when it is retried', async () => {
  const { batchId, account, check, live, retry, keysOf } = await titled(3, '{index}.{ext}')
  await check(batchId)
  for (const { index, jobId } of await live(batchId)) {
    const reason = failure(index === 0 ? 'SOURCE_PRIVATE' : 'SOURCE_UNREACHABLE')
    await account.failStep(await leased(account, jobId ?? ''), reason)
  }
  expect(await keysOf(await retry(batchId))).toEqual(['002.mp4', '003.mp4'])
})

test('two items whose files differ in their extension share no name, because captions lie beside both', async () => {
  const { batchId, check, live, keyOf } = await titled(2, '{title}.{ext}')
  await check(batchId)
  const [first, second] = await live(batchId)
  if (!first || !second) throw new Error('two items run')
  expect(await keyOf(first, 'webm')).toBe('Twins.webm')
  expect(await keyOf(second)).toBe('Twins [of 1.mp4].mp4')
})

test('a title that begins like another one, with a dot after it, gets its own name', async () => {
  const { batchId, check, live, keyOf } = await titled(2, '{title}.{ext}')
  await check(batchId)
  const [first, second] = await live(batchId)
  if (!first || !second) throw new Error('two items run')
  expect(await keyOf(first, 'mp4', 'Talk.Part 2')).toBe('Talk.Part 2.mp4')
  expect(await keyOf(second, 'mp4', 'Talk')).toBe('Talk.mp4')
})

test('an item whose file has another format when it is retried keeps its name, with the new extension', async () => {
  const { batchId, check, live, retry, keyOf } = await titled(1, '{title}.{ext}')
  await check(batchId)
  const [first] = await live(batchId)
  if (!first) throw new Error('an item runs')
  expect(await keyOf(first, 'webm')).toBe('Twins.webm')
  const again = await retry(batchId)
  await check(again)
  const [item] = await live(again)
  if (!item) throw new Error('its retry runs')
  expect(await keyOf(item, 'mp4')).toBe('Twins.mp4')
})
