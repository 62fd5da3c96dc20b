import { expect, test, vi } from 'vitest'
import { readBatch, readItems, startedBatch, takeTurn } from '../support/batches.ts'
import { type Caller, newCaller } from '../support/caller.ts'
import { skip } from '../support/clock.ts'

/** Lists of test/doubles/internet/engines.ts. */
const playlist = (path: string, changes: object = {}) => ({
  urls: undefined,
  playlistUrl: `https://media.example/${path}`,
  ...changes,
})

const failureOf = async (caller: Caller, batchId: string) => {
  const { status, code, message } = await readBatch(caller, batchId)
  return [status, code, message]
}

test('the entries of a playlist become the items of its batch, with their titles', async () => {
  const caller = await newCaller()
  const batchId = await startedBatch(caller, playlist('playlists/3'))
  expect((await takeTurn(caller, batchId, null)).explicitAcks).toEqual(['message'])
  expect(await readBatch(caller, batchId)).toMatchObject({
    status: 'queued',
    title: 'A playlist',
    counts: { total: 3, waiting: 3 },
  })
  expect(await readItems(caller, batchId)).toMatchObject(
    [0, 1, 2].map((index) => ({ index, url: `https://media.example/films/${index}.mp4`, title: `Film ${index}` })),
  )
  await takeTurn(caller, batchId, 0)
  expect(await readItems(caller, batchId, 'status=queued')).toMatchObject([{ index: 0, title: 'Film 0' }])
})

test.each([
  [{}, 50],
  [{ limit: 7 }, 7],
])('of a playlist of 70 entries, %j takes the first %i', async (changes, count) => {
  const caller = await newCaller()
  const batchId = await startedBatch(caller, playlist('playlists/70', changes))
  await takeTurn(caller, batchId, null)
  expect((await readBatch(caller, batchId)).counts.total).toBe(count)
})

test.each([
  ['an empty playlist', 'playlists/0', 'NO_ITEMS', 'The playlist has no items.'],
  ['a playlist that cannot be read', 'fails/SOURCE_PRIVATE', 'SOURCE_PRIVATE', 'it fails with SOURCE_PRIVATE'],
])('%s fails its batch', async (_, path, code, message) => {
  const caller = await newCaller()
  const batchId = await startedBatch(caller, playlist(path))
  await takeTurn(caller, batchId, null)
  expect(await failureOf(caller, batchId)).toEqual(['failed', code, message])
})

test.each(['busy', 'breaks'])(
  'a list that meets a container that is %j is tried again later, three times in all',
  async (path) => {
    vi.spyOn(console, 'error').mockReturnValue()
    const caller = await newCaller()
    const batchId = await startedBatch(caller, playlist(path))
    for (let attempt = 1; attempt < 3; attempt++) {
      expect((await takeTurn(caller, batchId, null)).explicitAcks).toEqual(['message'])
      expect((await readBatch(caller, batchId)).status).toBe('queued')
      expect(await caller.account.claimListing(batchId)).toBeNull()
      skip(20_000)
    }
    await takeTurn(caller, batchId, null)
    expect(await failureOf(caller, batchId)).toEqual([
      'failed',
      'INTERNAL',
      'The service was too busy to read the playlist.',
    ])
  },
)

test('two playlists of an account are listed at a time, and the next when one of them has ended in any way', async () => {
  const caller = await newCaller()
  const ends: [string, (batchId: string) => Promise<unknown>][] = [
    ['playlists/3', (batchId) => takeTurn(caller, batchId, null)],
    ['playlists/0', (batchId) => takeTurn(caller, batchId, null)],
    ['fails/SOURCE_PRIVATE', (batchId) => takeTurn(caller, batchId, null)],
    ['playlists/2', (batchId) => caller.delete(`/batches/${batchId}`)],
    ['playlists/1', (batchId) => takeTurn(caller, batchId, null)],
    ['playlists/1', (batchId) => takeTurn(caller, batchId, null)],
  ]
  const batchIds: string[] = []
  for (const [path] of ends) batchIds.push(await startedBatch(caller, playlist(path)))
  for (const [index, [, end]] of ends.entries()) {
    const third = batchIds[index + 2]
    if (third) {
      expect(await caller.account.claimListing(third)).toBeNull()
      expect(await readBatch(caller, third)).toMatchObject({ status: 'queued', counts: { total: null } })
    }
    await end(batchIds[index] ?? '')
  }
  const totals = await Promise.all(batchIds.map(async (batchId) => (await readBatch(caller, batchId)).counts.total))
  expect(totals).toEqual([3, 0, null, null, 1, 1])
})
