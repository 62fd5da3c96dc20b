import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../domain/time.ts'
import { consumeSteps } from '../../../worker/steps/consume-steps.ts'
import type { FakeFeed } from '../../doubles/internet/feeds.ts'
import { type Caller, newCaller } from '../support/caller.ts'
import { skip } from '../support/clock.ts'
import { readWatch, startedWatch, statesOf } from '../support/watches.ts'

/** A feed of test/doubles/internet/feeds.ts with these entries, and what it is now. */
const newFeed = async (changes: Partial<FakeFeed>) => {
  const url = `https://feeds.example/${crypto.randomUUID()}`
  const change = async (more: Partial<FakeFeed> = {}): Promise<FakeFeed> =>
    (await fetch(url, { method: 'POST', body: JSON.stringify(more) })).json()
  await change(changes)
  return { url, change, now: () => change() }
}

/** Consumes the message of a round of polls, as the queue would. */
const pollRound = async ({ accountId }: Caller): Promise<void> => {
  const body = { v: 1, accountId, polls: true }
  const ctx = createExecutionContext()
  await consumeSteps({ messages: [{ body, attempts: 1, ack: () => {}, retry: () => {} }] } as never, env, ctx)
  await waitOnExecutionContext(ctx)
}

/** A watch of a feed that was read once. */
const following = async (changes: Partial<FakeFeed> = {}) => {
  const feed = await newFeed({ names: ['a'], headers: { etag: '"1"' }, ...changes })
  const caller = await newCaller()
  const watchId = await startedWatch(caller, { url: feed.url, import: undefined })
  await pollRound(caller)
  const poll = async (afterMs = HOUR_MS): Promise<void> => {
    skip(afterMs)
    await pollRound(caller)
  }
  const states = () => statesOf(caller, watchId)
  await feed.change({ requests: [] })
  return { feed, caller, watchId, poll, states, read: () => readWatch(caller, watchId) }
}

test('a feed that has not changed is asked once, with the validators of its last response, and no engine reads it', async () => {
  const { feed, poll, read } = await following({
    headers: { etag: '"1"', 'last-modified': 'Sun, 01 Nov 2026 00:00:00 GMT' },
  })
  await poll()
  expect(await feed.now()).toMatchObject({
    reads: 1,
    requests: [{ ifNoneMatch: '"1"', ifModifiedSince: 'Sun, 01 Nov 2026 00:00:00 GMT' }],
  })
  expect(await read()).toMatchObject({ status: 'active', failures: 0 })
})

test('a feed without validators whose bytes are the same is not read by an engine', async () => {
  const { feed, poll } = await following({ headers: {} })
  await poll()
  expect(await feed.now()).toMatchObject({ reads: 1, requests: [{ ifNoneMatch: null }] })
})

test('what is new in a feed is found, with the validators of that response', async () => {
  const { feed, poll, states } = await following()
  await feed.change({ names: ['b', 'a'], headers: { etag: '"2"', 'last-modified': 'Sun, 01 Nov 2026 00:00:00 GMT' } })
  await poll()
  expect(await states()).toEqual(['a marked', 'b told'])
  await feed.change({ requests: [] })
  await poll()
  expect((await feed.now()).requests).toEqual([
    { ifNoneMatch: '"2"', ifModifiedSince: 'Sun, 01 Nov 2026 00:00:00 GMT' },
  ])
})

test('a feed that answers 304 whatever has changed is found out within a day', async () => {
  const { feed, poll, states } = await following({ liesAboutChanges: true })
  await feed.change({ names: ['b', 'a'], headers: { etag: '"2"' } })
  await poll()
  expect(await states()).toEqual(['a marked'])
  await poll(DAY_MS)
  expect(await states()).toEqual(['a marked', 'b told'])
})

test('a feed that is missing for a night is active the next day', async () => {
  const { feed, poll, read } = await following()
  const waits: number[] = []
  await feed.change({ status: 404 })
  for (let failures = 1; failures <= 4; failures++) {
    await poll(Date.parse((await read()).nextPollAt) - Date.now())
    const watch = await read()
    waits.push(Math.round((Date.parse(watch.nextPollAt) - Date.now()) / HOUR_MS))
  }
  expect(waits).toEqual([2, 4, 8, 16])
  expect(await read()).toMatchObject({ status: 'failing', code: 'SOURCE_NOT_FOUND', failures: 4 })
  await feed.change({ status: 200 })
  await poll(16 * HOUR_MS)
  expect(await read()).toMatchObject({ status: 'active', failures: 0 })
})

test.each([
  [503, { 'retry-after': '36000' }, 10],
  [429, { 'retry-after': '36000' }, 10],
  [429, { 'retry-after': '9999999' }, 24],
  [500, {}, 2],
])('after a %i with %j the next poll is %i hours later', async (status, headers, hours) => {
  const { feed, poll, read } = await following()
  await feed.change({ status, headers })
  await poll()
  expect(Math.round((Date.parse((await read()).nextPollAt) - Date.now()) / HOUR_MS)).toBe(hours)
})

test('a feed that says 410 pauses its watch', async () => {
  const { feed, poll, read } = await following()
  await feed.change({ status: 410 })
  await poll()
  expect(await read()).toMatchObject({ status: 'paused', code: 'SOURCE_GONE', nextPollAt: null })
})

test('while no engine is free, a list is read later', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const caller = await newCaller()
  const watchId = await startedWatch(caller, { url: 'https://feeds.example/busy' })
  await pollRound(caller)
  expect(await readWatch(caller, watchId)).toMatchObject({ status: 'starting', failures: 0 })
})

test('what is no list fails at once', async () => {
  const caller = await newCaller()
  const watchId = await startedWatch(caller, { url: 'https://feeds.example/fails/SOURCE_UNSUPPORTED' })
  await pollRound(caller)
  expect(await readWatch(caller, watchId)).toMatchObject({ status: 'failing', code: 'SOURCE_UNSUPPORTED' })
})

test('watches that are due a little later come with the same round', async () => {
  const { caller, feed } = await following()
  const other = await startedWatch(caller, { url: feed.url, import: undefined })
  await pollRound(caller)
  await feed.change({ requests: [] })
  // Whatever the minute of each watch is, both are due within the hour, and one of them first.
  skip(HOUR_MS)
  await pollRound(caller)
  expect((await feed.now()).requests).toHaveLength(2)
  await pollRound(caller)
  expect((await feed.now()).requests).toHaveLength(2)
  expect((await readWatch(caller, other)).status).toBe('active')
})
