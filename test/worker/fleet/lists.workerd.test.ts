import { env } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import { FleetBase } from '../../../worker/fleet/fleet-object.ts'
import { lookUp } from '../../../worker/fleet/lookups.ts'

test('a list is answered when its place cannot be freed', async () => {
  vi.spyOn(console, 'warn').mockReturnValue()
  const ended = vi.spyOn(FleetBase.prototype, 'ended').mockRejectedValueOnce(new Error('the fleet is unavailable'))
  const url = 'https://media.example/playlists/3'
  const by = { accountId: 'acct_lists', by: { batchId: 'bat_1' }, url, timeoutMs: 5_000 }
  const listed = await lookUp(env, 'list', by, (engine, order) => engine.list({ ...order, limit: 2 }))
  expect(listed).toMatchObject({ status: 'done', count: 3 })
  expect(ended).toHaveBeenCalledOnce()
  ended.mockRestore()
})
