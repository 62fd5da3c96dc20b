import { expect, test } from 'vitest'
import { nextMonthAt } from '../../../domain/account/keys.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../domain/time.ts'
import { finishImport } from '../support/account.ts'
import { asOperator, type Caller, callApi, newCaller } from '../support/caller.ts'
import { passTime, skip } from '../support/clock.ts'
import { changeWatch, listOf, named, polled, readWatch, startedWatch, statesOf } from '../support/watches.ts'

const MB = 1_000_000

/** A watch that has found these items. */
const withNew = async (caller: Caller, names: string[], body: object = {}): Promise<string> => {
  const watchId = await startedWatch(caller, body)
  await polled(caller, watchId, listOf([]))
  skip(HOUR_MS)
  await polled(caller, watchId, listOf(named(...names)))
  await passTime(caller.account, 0)
  return watchId
}

const openBatch = async (caller: Caller, watchId: string) => {
  const { batches } = (await caller.get(`/batches?watchId=${watchId}`)).body.data
  return batches.find(({ status }: { status: string }) => status === 'queued' || status === 'running')?.batchId
}

interface Item {
  index: number
  jobId: string
  status: string
}

const batchItems = async (caller: Caller, batchId: string): Promise<Item[]> =>
  (await caller.get(`/batches/${batchId}/items?limit=100`)).body.data.items

/** Checks the URLs of the items whose turn has come, as the queue's consumer does. */
const check = async (caller: Caller, batchId: string, bytes = MB): Promise<void> => {
  for (const { index } of await batchItems(caller, batchId)) {
    const task = await caller.account.claimItem(batchId, index)
    if (task) await caller.account.admitItem(task, { announcedBytes: bytes, diskBytes: null, reuseKey: 'a key' })
  }
}

const liveJobs = async (caller: Caller, batchId: string): Promise<string[]> =>
  (await batchItems(caller, batchId)).filter(({ status }) => status === 'queued').map(({ jobId }) => jobId)

const runItems = async (caller: Caller, watchId: string, bytes = MB): Promise<number> => {
  const batchId = await openBatch(caller, watchId)
  if (!batchId) return 0
  await check(caller, batchId, bytes)
  const jobs = await liveJobs(caller, batchId)
  for (const jobId of jobs) await finishImport(caller.account, jobId, bytes)
  await passTime(caller.account, 0)
  return jobs.length
}

const failItem = async (caller: Caller, watchId: string, code: 'SOURCE_BLOCKED' | 'SOURCE_LIVE' | 'SOURCE_DRM') => {
  const batchId = await openBatch(caller, watchId)
  await check(caller, batchId)
  const [jobId = ''] = await liveJobs(caller, batchId)
  const claimed = await caller.account.claim(jobId, 'fetch')
  const lease = { jobId, lease: claimed?.lease ?? '' }
  await caller.account.failStep(lease, { code, message: 'no', retryable: code === 'SOURCE_BLOCKED' })
  await passTime(caller.account, 0)
}

const onlyItem = async (caller: Caller, watchId: string) =>
  (await caller.get(`/watches/${watchId}/items`)).body.data.items[0]

test('its jobs complete its items, and count what it has spent this month', async () => {
  const caller = await newCaller()
  const watchId = await withNew(caller, ['b', 'a'])
  while ((await runItems(caller, watchId)) > 0);
  expect(await statesOf(caller, watchId)).toEqual(['a completed', 'b completed'])
  expect(await readWatch(caller, watchId)).toMatchObject({ spentThisMonthDollars: 0.02, waiting: 0 })
  expect(await onlyItem(caller, watchId)).toMatchObject({ costInDollars: 0.01, attempts: 1, code: null })
  skip(nextMonthAt(Date.now()) - Date.now())
  expect(await readWatch(caller, watchId)).toMatchObject({ spentThisMonthDollars: 0 })
})

test('an item that fails for a reason that may pass is tried five times more, later each time', async () => {
  const caller = await newCaller()
  const watchId = await withNew(caller, ['a'])
  const delays: number[] = []
  for (let attempt = 1; attempt <= 5; attempt++) {
    await failItem(caller, watchId, 'SOURCE_BLOCKED')
    const { status, attempts, nextAttemptAt, code } = await onlyItem(caller, watchId)
    expect({ status, attempts, code }).toEqual({ status: 'waiting', attempts: attempt, code: 'SOURCE_BLOCKED' })
    const delay = Date.parse(nextAttemptAt) - Date.now()
    delays.push(Math.ceil(delay / MINUTE_MS))
    await passTime(caller.account, delay)
  }
  expect(delays).toEqual([15, 60, 240, 720, 1_440])
  await failItem(caller, watchId, 'SOURCE_BLOCKED')
  expect(await onlyItem(caller, watchId)).toMatchObject({ status: 'failed', attempts: 6, nextAttemptAt: null })
})

test('an item that is live is tried for seven days, and one with another lasting reason never again', async () => {
  const caller = await newCaller()
  const watchId = await withNew(caller, ['premiere'])
  const startedAt = Date.now()
  for (;;) {
    await failItem(caller, watchId, 'SOURCE_LIVE')
    const { status, nextAttemptAt } = await onlyItem(caller, watchId)
    if (status === 'failed') break
    await passTime(caller.account, Date.parse(nextAttemptAt) - Date.now())
  }
  expect(Math.floor((Date.now() - startedAt) / DAY_MS)).toBe(6)
  const other = await withNew(caller, ['protected'])
  await failItem(caller, other, 'SOURCE_DRM')
  expect(await onlyItem(caller, other)).toMatchObject({ status: 'failed', code: 'SOURCE_DRM' })
})

test('a watch never costs more in a month than it may, and goes on in the next one', async () => {
  const caller = await newCaller()
  const watchId = await withNew(caller, ['d', 'c', 'b', 'a'], { maxCostDollarsPerMonth: 0.025 })
  while ((await runItems(caller, watchId)) > 0);
  expect(await readWatch(caller, watchId)).toMatchObject({
    ...{ status: 'paused', code: 'MAX_COST_EXCEEDED', waiting: 2, spentThisMonthDollars: 0.02 },
  })
  // The list is still read.
  skip(HOUR_MS)
  await polled(caller, watchId, listOf(named('e', 'd', 'c', 'b', 'a')))
  expect(await readWatch(caller, watchId)).toMatchObject({ status: 'paused', waiting: 3 })
  await passTime(caller.account, nextMonthAt(Date.now()) - Date.now())
  expect(await readWatch(caller, watchId)).toMatchObject({ status: 'active', spentThisMonthDollars: 0 })
  while ((await runItems(caller, watchId)) > 0);
  expect(await statesOf(caller, watchId)).toEqual([
    'a completed',
    'b completed',
    'c completed',
    'd completed',
    'e waiting',
  ])
})

test('without a balance it is paused, and with credit it goes on', async () => {
  const caller = await newCaller(0.01)
  const watchId = await withNew(caller, ['b', 'a'])
  while ((await runItems(caller, watchId)) > 0);
  expect(await readWatch(caller, watchId)).toMatchObject({ status: 'paused', code: 'INSUFFICIENT_BALANCE', waiting: 1 })
  const credit = { amountDollars: 1, reference: 'more' }
  expect((await asOperator('POST', `/admin/accounts/${caller.accountId}/credits`, credit)).status).toBe(200)
  await passTime(caller.account, 0)
  while ((await runItems(caller, watchId)) > 0);
  expect(await statesOf(caller, watchId)).toEqual(['a completed', 'b completed'])
})

test('when its key is removed it is paused, until another key changes it', async () => {
  const caller = await newCaller()
  const made = (await caller.post('/keys', { name: 'of a watch', scopes: ['import'] })).body.data
  const other: Caller = {
    ...caller,
    apiKey: made.apiKey,
    post: (path, body) => callApi('POST', path, { key: made.apiKey, body }),
  }
  const watchId = await startedWatch(other)
  await polled(caller, watchId, listOf([]))
  await caller.delete(`/keys/${made.keyId}`)
  expect(await readWatch(caller, watchId)).toMatchObject({ status: 'paused', code: 'KEY_REMOVED', nextPollAt: null })
  expect((await changeWatch(caller, watchId, { maxNew: 30 })).body.data).toMatchObject({ status: 'active', maxNew: 30 })
  skip(HOUR_MS)
  await polled(caller, watchId, listOf(named('a')))
  await passTime(caller.account, 0)
  expect(await runItems(caller, watchId)).toBe(1)
})

test('one batch is open at a time, and what comes meanwhile waits for it', async () => {
  const caller = await newCaller()
  const watchId = await withNew(caller, ['a'])
  skip(HOUR_MS)
  await polled(caller, watchId, listOf(named('b', 'a')))
  await passTime(caller.account, 0)
  expect((await caller.get(`/batches?watchId=${watchId}`)).body.data.batches).toHaveLength(1)
  while ((await runItems(caller, watchId)) > 0);
  expect((await caller.get(`/batches?watchId=${watchId}`)).body.data.batches).toHaveLength(2)
  expect(await statesOf(caller, watchId)).toEqual(['a completed', 'b completed'])
})

test('each new item is told once, when it passes', async () => {
  const caller = await newCaller()
  const webhookUrl = 'https://receiver.example/hook'
  const watchId = await withNew(caller, ['c', 'b', 'a'], { maxNew: 2, webhookUrl, metadata: { show: 'one' } })
  const told = async () =>
    (await caller.get('/webhooks/deliveries')).body.data.deliveries
      .map(({ type }: { type: string }) => type)
      .toReversed()
  expect(await told()).toEqual(['watch.paused'])
  await changeWatch(caller, watchId, { paused: false })
  await passTime(caller.account, 0)
  expect(await told()).toEqual(['watch.paused', 'watch.resumed', 'watch.item', 'watch.item', 'watch.item'])
  const [delivery] = (await caller.get('/webhooks/deliveries')).body.data.deliveries
  expect(delivery).toMatchObject({ watchId, jobId: null, batchId: null })
  const claimed = await caller.account.claimDelivery(delivery.id)
  expect(claimed?.data).toMatchObject({ watchId, title: 'c', status: 'waiting', metadata: { show: 'one' } })
})

test('the same Idempotency-Key starts one watch', async () => {
  const caller = await newCaller()
  const start = () => caller.post('/watches', { url: 'https://media.example/feed.xml' }, { 'idempotency-key': 'once' })
  const [first, second] = [await start(), await start()]
  expect([first.status, second.status]).toEqual([201, 201])
  expect(second.body.data.watchId).toBe(first.body.data.watchId)
  expect((await caller.get('/watches')).body.data.watches).toHaveLength(1)
})

test('an account has as many watches as its limit says', async () => {
  const caller = await newCaller()
  await asOperator('PATCH', `/admin/accounts/${caller.accountId}`, { limits: { watches: 1 } })
  await startedWatch(caller)
  const second = await caller.post('/watches', { url: 'https://media.example/feed.xml' })
  expect([second.status, second.body.code, second.body.limit]).toEqual([409, 'TOO_MANY_WATCHES', 1])
})
