import { expect, test } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../domain/time.ts'
import { asOperator, type Caller, newCaller } from '../support/caller.ts'
import { passTime, skip } from '../support/clock.ts'
import {
  changeWatch,
  claimedPoll,
  itemsOf,
  listOf,
  named,
  polled,
  readWatch,
  startedWatch,
  statesOf,
} from '../support/watches.ts'

const batchesOf = async (caller: Caller, watchId: string) =>
  (await caller.get(`/batches?watchId=${watchId}`)).body.data.batches

/** A watch whose list had these entries when it was read first. */
const following = async (caller: Caller, names: string[], body: object = {}): Promise<string> => {
  const watchId = await startedWatch(caller, body)
  await polled(caller, watchId, listOf(named(...names)))
  skip(HOUR_MS)
  return watchId
}

test('the first read marks what is there, and later what is new gets a batch, oldest first', async () => {
  const caller = await newCaller()
  const watchId = await startedWatch(caller)
  expect(await readWatch(caller, watchId)).toMatchObject({ status: 'starting', source: null, lastPollAt: null })
  await polled(caller, watchId, listOf(named('b', 'a')))
  expect(await readWatch(caller, watchId)).toMatchObject({
    status: 'active',
    source: 'feed',
    title: 'A podcast',
    waiting: 0,
  })
  expect(await statesOf(caller, watchId)).toEqual(['a marked', 'b marked'])
  skip(HOUR_MS)
  await polled(caller, watchId, listOf(named('d', 'c', 'b', 'a')))
  await passTime(caller.account, 0)
  expect((await statesOf(caller, watchId)).slice(2)).toEqual(['c waiting', 'd waiting'])
  expect(await batchesOf(caller, watchId)).toMatchObject([
    { watchId, status: 'queued', title: 'A podcast', counts: { total: 2 } },
  ])
  expect((await caller.get('/batches')).body.data.batches).toEqual([])
})

test('a list that is reported twice, or after another round has taken the watch, adds nothing', async () => {
  const caller = await newCaller()
  const watchId = await following(caller, ['a'])
  const task = await claimedPoll(caller, watchId)
  skip(10 * MINUTE_MS)
  const later = await claimedPoll(caller, watchId)
  expect(await caller.account.reportList(task, listOf(named('b', 'a')))).toBe('lost')
  expect(await caller.account.reportList(later, listOf(named('b', 'a')))).toBe('done')
  expect(await caller.account.reportList(later, listOf(named('b', 'a')))).toBe('lost')
  expect(await statesOf(caller, watchId)).toEqual(['a marked', 'b waiting'])
})

test('more new items than maxNew pause the watch, and wait for its caller', async () => {
  const caller = await newCaller()
  const watchId = await following(caller, ['a'], { maxNew: 2 })
  await polled(caller, watchId, listOf(named('d', 'c', 'b', 'a')))
  await passTime(caller.account, 0)
  expect(await readWatch(caller, watchId)).toMatchObject({
    status: 'paused',
    code: 'TOO_MANY_NEW',
    waiting: 3,
    nextPollAt: null,
  })
  expect(await batchesOf(caller, watchId)).toEqual([])
  expect((await caller.post(`/watches/${watchId}/poll`, {})).body.code).toBe('WATCH_PAUSED')
  await changeWatch(caller, watchId, { paused: false })
  await passTime(caller.account, 0)
  expect(await readWatch(caller, watchId)).toMatchObject({ status: 'active', code: null })
  expect(await batchesOf(caller, watchId)).toMatchObject([{ counts: { total: 3 } }])
})

test('what waits can be dropped, which ends the pause, and is never taken', async () => {
  const caller = await newCaller()
  const watchId = await following(caller, ['a'], { maxNew: 1 })
  await polled(caller, watchId, listOf(named('c', 'b', 'a')))
  expect((await changeWatch(caller, watchId, { waiting: 'drop' })).body.data).toMatchObject({
    status: 'active',
    waiting: 0,
  })
  expect(await statesOf(caller, watchId)).toEqual(['a marked', 'b marked', 'c marked'])
  skip(HOUR_MS)
  await polled(caller, watchId, listOf(named('c', 'b', 'a')))
  expect((await statesOf(caller, watchId)).length).toBe(3)
})

test('a watch that only tells makes no jobs', async () => {
  const caller = await newCaller()
  const watchId = await following(caller, ['a'], { import: undefined })
  await polled(caller, watchId, listOf(named('b', 'a')))
  await passTime(caller.account, 0)
  expect(await statesOf(caller, watchId)).toEqual(['a marked', 'b told'])
  expect(await batchesOf(caller, watchId)).toEqual([])
})

test('the filter leaves out titles and lengths, and an item without a length is measured first', async () => {
  const caller = await newCaller()
  const filter = { notTitle: ['TRAILER'], minSeconds: 60 }
  const watchId = await following(caller, [], { filter })
  const entries = [
    { name: 'no length' },
    { name: 'long', seconds: 90 },
    { name: 'short', seconds: 10 },
    { name: 'a trailer' },
  ]
  await polled(caller, watchId, listOf(entries))
  expect((await statesOf(caller, watchId)).sort()).toEqual([
    'a trailer filtered',
    'long waiting',
    'no length waiting',
    'short filtered',
  ])
  const { items } = await caller.account.claimPolls()
  expect(items).toMatchObject([{ watchId, url: 'https://media.example/no length.mp3' }])
  await caller.account.reportLength(watchId, items[0]?.itemId ?? '', 30)
  expect(await statesOf(caller, watchId)).toContain('no length filtered')
  expect((await caller.account.claimPolls()).items).toEqual([])
})

test('three failures in a row make a watch failing, each doubles the interval, and a success ends it', async () => {
  const caller = await newCaller()
  const watchId = await following(caller, ['a'])
  const failed = {
    kind: 'failed',
    code: 'SOURCE_NOT_FOUND',
    message: 'gone',
    retryAfterMs: null,
    isNoList: false,
    isGone: false,
  } as const
  const states: unknown[] = []
  for (let failures = 1; failures <= 3; failures++) {
    const { watchId: id, takenUntil } = await claimedPoll(caller, watchId)
    await caller.account.reportPolls([{ watchId: id, takenUntil, ...failed }])
    const watch = await readWatch(caller, watchId)
    states.push([watch.status, watch.failures])
    skip(Date.parse(watch.nextPollAt) - Date.now())
  }
  expect(states).toEqual([
    ['active', 1],
    ['active', 2],
    ['failing', 3],
  ])
  await polled(caller, watchId, listOf(named('a')))
  expect(await readWatch(caller, watchId)).toMatchObject({ status: 'active', failures: 0, code: null })
})

test('what is no list is failing at once, and a source that is gone is paused', async () => {
  const caller = await newCaller()
  const watchId = await startedWatch(caller)
  const failed = { kind: 'failed', message: 'no list', retryAfterMs: null, isNoList: true, isGone: false } as const
  const first = await claimedPoll(caller, watchId)
  await caller.account.reportPolls([{ ...failed, code: 'SOURCE_UNSUPPORTED', watchId, takenUntil: first.takenUntil }])
  expect(await readWatch(caller, watchId)).toMatchObject({ status: 'failing', code: 'SOURCE_UNSUPPORTED' })
  skip(DAY_MS)
  const second = await claimedPoll(caller, watchId)
  await caller.account.reportPolls([
    { ...failed, code: 'SOURCE_NOT_FOUND', isGone: true, watchId, takenUntil: second.takenUntil },
  ])
  expect(await readWatch(caller, watchId)).toMatchObject({ status: 'paused', code: 'SOURCE_GONE' })
})

test('a poll can be asked for once a minute', async () => {
  const caller = await newCaller()
  const watchId = await startedWatch(caller)
  expect((await caller.post(`/watches/${watchId}/poll`, {})).status).toBe(429)
  await polled(caller, watchId, listOf(named('a')))
  skip(MINUTE_MS)
  expect((await caller.post(`/watches/${watchId}/poll`, {})).status).toBe(202)
  await claimedPoll(caller, watchId)
})

test('a removed watch is gone with its items', async () => {
  const caller = await newCaller()
  const watchId = await following(caller, ['a'])
  await polled(caller, watchId, listOf(named('b', 'a')))
  await passTime(caller.account, 0)
  expect((await caller.delete(`/watches/${watchId}`)).status).toBe(204)
  expect((await caller.get(`/watches/${watchId}`)).status).toBe(404)
  expect((await caller.get(`/watches/${watchId}/items`)).status).toBe(404)
  expect(await batchesOf(caller, watchId)).toMatchObject([{ status: 'completed', counts: { skipped: 1 } }])
  expect((await caller.account.claimPolls()).polls).toEqual([])
})

test.each([
  [{ import: {}, transcribe: {} }, 'transcribe'],
  [{ transcribe: { provider: 'openai', apiKey: 'sk-1' } }, 'transcribe.apiKey'],
  [{ everyMinutes: 5 }, 'everyMinutes'],
  [{ filter: { minSeconds: 9, maxSeconds: 3 } }, 'filter.maxSeconds'],
  [{ since: 'yesterday' }, 'since'],
  [{ url: 'ftp://media.example/feed' }, 'url'],
])('%j is refused for its %s', async (body, path) => {
  const caller = await newCaller()
  const answer = await caller.post('/watches', { url: 'https://media.example/feed.xml', ...body })
  expect(answer.status).toBe(400)
  expect(answer.body.details[0].path).toBe(path)
})

test('items of a watch show what their jobs did', async () => {
  const caller = await newCaller()
  const watchId = await following(caller, [])
  await polled(caller, watchId, listOf(named('a')))
  await passTime(caller.account, 0)
  expect(await itemsOf(caller, watchId, 'status=waiting')).toMatchObject([{ title: 'a', attempts: 0, jobId: null }])
})

test('a feed of a platform that shows nothing known is not taken for news: its page is to be read', async () => {
  const caller = await newCaller()
  const watchId = await following(caller, ['a'])
  const task = await claimedPoll(caller, watchId)
  const feed = listOf(named('d', 'c'), { hasPage: true, isWhole: false })
  expect(await caller.account.reportList(task, feed)).toBe('page')
  expect(await statesOf(caller, watchId)).toEqual(['a marked'])
  const page = listOf(named('d', 'c', 'b', 'a'), { isWhole: true })
  expect(await caller.account.reportList(task, page)).toBe('done')
  expect(await statesOf(caller, watchId)).toEqual(['a marked', 'b waiting', 'c waiting', 'd waiting'])
})

test('after 30 days of failures a watch is paused, and its caller can have it tried again', async () => {
  const caller = await newCaller()
  const watchId = await following(caller, ['a'])
  const fail = async () => {
    const { takenUntil } = await claimedPoll(caller, watchId)
    const about = { code: 'SOURCE_UNREACHABLE', message: 'no', retryAfterMs: null, isNoList: false, isGone: false }
    await caller.account.reportPolls([{ watchId, takenUntil, kind: 'failed', ...about }])
  }
  await fail()
  skip(30 * DAY_MS)
  await fail()
  expect(await readWatch(caller, watchId)).toMatchObject({ status: 'paused', code: 'SOURCE_FAILED', nextPollAt: null })
  expect((await changeWatch(caller, watchId, { paused: false })).body.data).toMatchObject({
    status: 'active',
    failures: 0,
  })
  skip(HOUR_MS)
  await polled(caller, watchId, listOf(named('a')))
})

test('a suspended account polls nothing, and goes on at the end of its suspension', async () => {
  const caller = await newCaller()
  const watchId = await following(caller, ['a'])
  const suspend = (suspended: boolean) => asOperator('PATCH', `/admin/accounts/${caller.accountId}`, { suspended })
  await suspend(true)
  expect((await caller.account.claimPolls()).polls).toEqual([])
  await suspend(false)
  await polled(caller, watchId, listOf(named('b', 'a')))
  await passTime(caller.account, 0)
  expect(await batchesOf(caller, watchId)).toHaveLength(1)
})

test('entries and webhooks count as free work, after which no engine reads lists until the next hour', async () => {
  const caller = await newCaller()
  await asOperator('PATCH', `/admin/accounts/${caller.accountId}`, {
    limits: { freeWork: { engineSecondsPerHour: 2 } },
  })
  const watchId = await following(caller, ['a'], { webhookUrl: 'https://receiver.example/hook' })
  const names = ['b', 'c', 'd', 'e']
  await polled(caller, watchId, listOf(named(...names, 'a')))
  skip(MINUTE_MS)
  expect((await caller.post(`/watches/${watchId}/poll`, {})).status).toBe(202)
  expect(await claimedPoll(caller, watchId)).not.toMatchObject({ unreadForMs: 0 })
  skip(HOUR_MS)
  expect(await claimedPoll(caller, watchId)).toMatchObject({ unreadForMs: 0 })
  expect((await caller.get('/account')).body.data.freeWork.engineSecondsLeft).toBe(2)
})
