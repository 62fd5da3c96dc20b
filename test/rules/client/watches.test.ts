import { expect, test } from 'vitest'
import { type Answer, data, drop, refused, scriptedService } from './scripted-service.ts'

const service = scriptedService()
const watchId = 'wat_1'
const watch = { watchId, status: 'active' }
const url = 'https://example.com/feed.xml'
const removed: Answer = (response) => void response.writeHead(204).end()

test('a watch is started once, also when its connection is lost', async () => {
  const started = { watchId, status: 'starting', message: 'The watch is starting.' }
  service.on('POST /watches', drop, data(started, 201))
  const request = { url, transcribe: { mode: 'auto' }, filter: { notTitle: ['trailer'] } } as const
  expect(await service.client().watches.create({ ...request, filter: { notTitle: ['trailer'] } })).toEqual(started)
  const sent = service.received()
  expect(sent.map(({ body }) => JSON.parse(`${body}`))).toEqual([request, request])
  expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
})

test('watches, their items and their batches are listed page by page, with the filter on each', async () => {
  service.on('GET /watches', data({ watches: [watch], nextCursor: 'c1' }), data({ watches: [watch], nextCursor: null }))
  const items = (itemId: string, nextCursor: string | null) => data({ items: [{ itemId }], nextCursor })
  service.on('GET /watches/wat_1/items', items('wit_2', 'c1'), items('wit_1', null))
  service.on('GET /batches', data({ batches: [], nextCursor: null }))
  const { watches, batches } = service.client()
  const seen: string[] = []
  for await (const each of watches.list()) seen.push(each.watchId)
  for await (const { itemId } of watches.items(watchId, { status: 'failed' })) seen.push(itemId)
  for await (const _ of batches.list({ watchId }));
  expect(seen).toEqual([watchId, watchId, 'wit_2', 'wit_1'])
  const limit = '100'
  expect(service.received().map(({ query }) => query)).toEqual([
    { limit },
    { limit, cursor: 'c1' },
    { limit, status: 'failed' },
    { limit, status: 'failed', cursor: 'c1' },
    { limit, watchId },
  ])
})

test('a watch is changed, paused, resumed and polled, and resolves as it is then', async () => {
  service.on('GET /watches/wat_1', data(watch))
  service.on('PATCH /watches/wat_1', data(watch))
  service.on('POST /watches/wat_1/poll', data(watch, 202))
  const { watches } = service.client()
  const calls = [
    () => watches.get(watchId),
    () => watches.update(watchId, { maxCostDollarsPerMonth: null, waiting: 'drop' }),
    () => watches.pause(watchId),
    () => watches.resume(watchId),
    () => watches.poll(watchId),
  ]
  for (const call of calls) expect(await call()).toEqual(watch)
  expect(service.received().map(({ route, body }) => [route, `${body}`])).toEqual([
    ['GET /watches/wat_1', ''],
    ['PATCH /watches/wat_1', '{"maxCostDollarsPerMonth":null,"waiting":"drop"}'],
    ['PATCH /watches/wat_1', '{"paused":true}'],
    ['PATCH /watches/wat_1', '{"paused":false}'],
    ['POST /watches/wat_1/poll', ''],
  ])
})

test('a poll that comes too early waits, and one of a paused watch is refused', async () => {
  const { watches } = service.client()
  service.on('POST /watches/wat_1/poll', refused(429, 'RATE_LIMITED', { retryAfter: 0 }), data(watch, 202))
  expect(await watches.poll(watchId)).toEqual(watch)
  service.on('POST /watches/wat_1/poll', refused(409, 'WATCH_PAUSED'))
  await expect(watches.poll(watchId)).rejects.toMatchObject({ status: 409, code: 'WATCH_PAUSED' })
})

test('a removal is sent again after a lost connection, and resolves without data', async () => {
  service.on('DELETE /watches/wat_1', drop, removed)
  await expect(service.client().watches.remove(watchId)).resolves.toBeUndefined()
})
