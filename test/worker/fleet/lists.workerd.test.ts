import { env } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import { FleetBase } from '../../../worker/fleet/fleet-object.ts'
import { lookUp } from '../../../worker/fleet/lookups.ts'

const list = (path: string) =>
  lookUp(
    env,
    'list',
    { accountId: 'acct_lists', by: { batchId: 'bat_1' }, url: `https://media.example${path}`, timeoutMs: 5_000 },
    (engine, order) => engine.list({ ...order, limit: 2 }),
  )

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

test('a list is answered when its place cannot be freed', async () => {
  vi.spyOn(console, 'warn').mockReturnValue()
  const ended = vi.spyOn(FleetBase.prototype, 'ended').mockRejectedValueOnce(new Error('the fleet is unavailable'))
  expect(await list('/playlists/3')).toMatchObject({ status: 'done', count: 3 })
  expect(ended).toHaveBeenCalledOnce()
  ended.mockRestore()
})
