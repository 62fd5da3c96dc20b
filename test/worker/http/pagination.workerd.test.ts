import { expect, test } from 'vitest'
import { startedBatch } from '../support/batches.ts'
import { callApi, newCaller, started } from '../support/caller.ts'

const caller = await newCaller()
await newCaller()

/** Two records for each list, so that it has a second page. */
for (let i = 0; i < 2; i++) {
  await started(caller)
  await caller.post('/webhooks/test', { url: 'https://status.example/204' })
  await startedBatch(caller)
}

const lists = ['/jobs', '/account/ledger', '/webhooks/deliveries', '/batches', '/admin/accounts'] as const
const read = (path: string, query: Record<string, string>) => {
  const key = path.startsWith('/admin') ? 'admin-token' : caller.apiKey
  return callApi(path === '/admin/reseal' ? 'POST' : 'GET', `${path}?${new URLSearchParams(query)}`, { key })
}

const cursors: Record<string, string> = { '/admin/reseal': `${caller.accountId}/provider/openai` }
for (const list of lists) cursors[list] = (await read(list, { limit: '1' })).body.data.nextCursor

const all = Object.keys(cursors)
const foreign = all.flatMap((list) => all.filter((other) => other !== list).map((other) => [list, other] as const))

const refused = {
  code: 'INVALID_REQUEST',
  error: 'The request is not valid: cursor: is not a nextCursor of this list',
  details: [{ path: 'cursor', message: 'is not a nextCursor of this list' }],
}

test.each(lists)('%s returns the next page for its own cursor', async (list) => {
  const [first, second] = [
    await read(list, { limit: '1' }),
    await read(list, { limit: '1', cursor: cursors[list] ?? '' }),
  ]
  const [[shown], [next]] = [Object.values(first.body.data), Object.values(second.body.data)] as [
    [object[]],
    [object[]],
  ]
  expect([second.status, shown.length, next.length]).toEqual([200, 1, 1])
  expect(next).not.toEqual(shown)
})

test('/admin/reseal continues at its own cursor', async () => {
  expect((await read('/admin/reseal', { cursor: cursors['/admin/reseal'] ?? '' })).status).toBe(200)
})

test.each(foreign)('%s refuses a cursor from %s', async (list, other) => {
  const { status, body } = await read(list, { cursor: cursors[other] ?? '' })
  expect([status, body]).toEqual([400, expect.objectContaining(refused)])
})

test.each(all)('%s refuses a damaged cursor', async (list) => {
  const cursor = cursors[list] ?? ''
  const damaged = [cursor.slice(1), cursor.replace(/_.*/, '_'), `x${cursor}`, `\0${cursor}`, `'${cursor}`, 'x', '0']
  for (const text of [...damaged, cursor.replace('_', '_u'), 'x'.repeat(5_000)]) {
    const { status, body } = await read(list, { cursor: text })
    expect([status, body]).toEqual([400, expect.objectContaining(refused)])
  }
})

test.each(all)('%s returns the first page for an empty cursor, which scripts send in a loop', async (list) => {
  const { status, body } = await read(list, { cursor: '' })
  expect([status, body.data]).toEqual([200, (await read(list, {})).body.data])
})
