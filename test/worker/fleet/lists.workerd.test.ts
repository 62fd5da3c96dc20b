import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { listInFleet } from '../../../worker/fleet/lookups.ts'

const list = (path: string) =>
  listInFleet(env, {
    accountId: 'acct_lists',
    url: `https://media.example${path}`,
    limit: 2,
    timeoutMs: 5_000,
  })

test('a playlist is listed by an engine, up to the limit', async () => {
  expect(await list('/playlists/3')).toEqual({
    status: 'done',
    title: 'A playlist',
    count: 3,
    items: [0, 1].map((index) => ({
      url: `https://media.example/films/${index}.mp4`,
      title: `Film ${index}`,
      durationSeconds: 60,
    })),
  })
})

test('a playlist that cannot be read has the code of its source', async () => {
  expect(await list('/fails/SOURCE_PRIVATE')).toEqual({
    status: 'failed',
    code: 'SOURCE_PRIVATE',
    message: 'it fails with SOURCE_PRIVATE',
  })
})

test('an engine without a place is busy', async () => {
  expect(await list('/busy')).toBe('busy')
})
