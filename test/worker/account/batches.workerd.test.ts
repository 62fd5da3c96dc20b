import { evictDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { failure } from '../../../domain/codes/failures.ts'
import { JOB_DEADLINE_MS, JOB_HISTORY_DAYS } from '../../../domain/limits.ts'
import { micros } from '../../../domain/money/money.ts'
import { admission, batchAdmission, finishImport, importRequest, transcribeRequest } from '../support/account.ts'
import { MB, newBatchAccount, price } from '../support/account-batches.ts'
import { runAlarm, skip } from '../support/clock.ts'
import { rowsOf } from '../support/tables.ts'

const DAY_MS = 86_400_000
const playlist = { source: { kind: 'playlist' as const, url: 'https://media.example/list', limit: 3 } }
const entry = (name: string) => ({ url: `https://media.example/${name}.mp4`, title: `film ${name}` })
const unreachable = { code: 'UNREACHABLE_URL', message: 'The URL could not be reached.', retryable: true }

test('the items of a batch run one after the other, each is charged once, and the batch then is completed', async () => {
  const { start, check, finish, finishAll, batch, items, states, money } = await newBatchAccount()
  const id = await start(3)
  expect(await batch(id)).toMatchObject({ kind: 'import', state: 'queued', counts: { total: 3, waiting: 3 } })
  await check(id)
  expect(await states(id)).toBe('queued waiting waiting')
  expect(await batch(id)).toMatchObject({ state: 'running', counts: { total: 3, waiting: 2, running: 1 } })
  expect(await money()).toEqual({ balance: 10_000_000, held: price })
  expect(await finish(id)).toEqual([0])
  await finishAll(id)
  const counts = { total: 3, waiting: 0, running: 0, completed: 3, failed: 0, skipped: 0 }
  expect(await batch(id)).toMatchObject({
    state: 'completed',
    counts,
    costMicros: 30_000,
    completedAt: expect.any(Number),
  })
  expect(await items(id)).toMatchObject(
    [0, 1, 2].map((index) => ({ index, state: 'completed', title: 'film', costMicros: price, code: null })),
  )
  expect(await money()).toEqual({ balance: 9_970_000, held: 0 })
})

test('items leave one place for single requests, which keep their limit', async () => {
  const { account, identity, start, check, batch } = await newBatchAccount(undefined, 4)
  const id = await start(9)
  await check(id)
  expect((await batch(id)).counts).toMatchObject({ waiting: 6, running: 3 })
  const single = () => account.admit(identity, admission(price))
  expect((await single()).result).toMatchObject({ ok: true })
  expect((await single()).result).toMatchObject({ ok: false, refusal: { code: 'CONCURRENCY_LIMITED' } })
})

test('single requests that run first leave items only what is free', async () => {
  const { account, identity, start, check, batch } = await newBatchAccount(undefined, 4)
  const { result } = await account.admit(identity, admission(price))
  await account.admit(identity, admission(price))
  await account.admit(identity, admission(price))
  const id = await start(3)
  await check(id)
  expect((await batch(id)).counts).toMatchObject({ running: 1 })
  if (result.ok) await finishImport(account, result.value.jobId, MB)
  expect((await batch(id)).counts).toMatchObject({ running: 2 })
})

test('where an account has one place, items take it', async () => {
  const { start, check, states, finishAll, batch } = await newBatchAccount(undefined, 1)
  const id = await start(2)
  await check(id)
  expect(await states(id)).toBe('queued waiting')
  await finishAll(id)
  expect(await batch(id)).toMatchObject({ state: 'completed' })
})

test('a limit that an operator raises starts items that wait', async () => {
  const { change, start, check, batch } = await newBatchAccount()
  const id = await start(9)
  await check(id)
  expect((await batch(id)).counts).toMatchObject({ running: 1 })
  await change({ limits: { concurrentJobs: { import: 4 } } })
  await check(id)
  expect((await batch(id)).counts).toMatchObject({ running: 3 })
})

test('a batch counts once in its rate window, and its items in none', async () => {
  const { account, identity, start, finishAll } = await newBatchAccount()
  await finishAll(await start(5))
  const { rate } = await account.authenticate(identity)
  expect(rate).toMatchObject({ class: 'import', remaining: 240 - 2 })
})

test('several batches take turns', async () => {
  const { start, check, finish } = await newBatchAccount()
  const ids = [await start(4), await start(4), await start(4)]
  const order: number[] = []
  for (let rounds = 0; order.length < 12 && rounds < 30; rounds++) {
    for (const [batch, id] of ids.entries()) {
      await check(id)
      order.push(...(await finish(id)).map(() => batch))
    }
  }
  expect(order.toSorted()).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2])
  // The first batch was alone when it got its first two turns.
  expect(new Set(order.slice(2, 6))).toEqual(new Set([0, 1, 2]))
})

test('imports and transcriptions in batches do not wait for each other', async () => {
  const { start, check, batch } = await newBatchAccount()
  const { url: _, importId: __, uploadId: ___, ...request } = transcribeRequest()
  const [imports, transcriptions] = [await start(5), await start(5, { item: { kind: 'transcription', request } })]
  for (const id of [imports, transcriptions]) await check(id)
  expect((await batch(imports)).counts).toMatchObject({ running: 1 })
  expect(await batch(transcriptions)).toMatchObject({ kind: 'transcription', counts: { running: 4 } })
})

test('a url given twice is one item', async () => {
  const { account, identity, items } = await newBatchAccount()
  const urls = ['a', 'b', 'a', 'c', 'b'].map((name) => entry(name).url)
  const { result } = await account.admitBatch(identity, batchAdmission(0, { source: { kind: 'urls', urls } }))
  expect(result).toMatchObject({ ok: true, value: { total: 3 } })
  if (result.ok)
    expect((await items(result.value.batchId)).map(({ url }) => url)).toEqual(
      ['a', 'b', 'c'].map((name) => entry(name).url),
    )
})

test('a url that is refused fails its item only, without a job and without a hold', async () => {
  const { account, start, finishAll, items, batch, money } = await newBatchAccount()
  const id = await start(3)
  const task = await account.claimItem(id, 0)
  if (!task) throw new Error('the item has no turn')
  expect(await account.refuseItem(task, unreachable)).toBe(true)
  expect(await account.refuseItem(task, unreachable)).toBe(false)
  expect(await account.admitItem(task, { hold: price, diskBytes: null, reuseKey: 'a key' })).toBe(false)
  expect((await items(id))[0]).toMatchObject({
    state: 'failed',
    jobId: null,
    code: 'UNREACHABLE_URL',
    costMicros: null,
  })
  await finishAll(id)
  expect(await batch(id)).toMatchObject({ state: 'completed', counts: { completed: 2, failed: 1 } })
  expect(await money()).toEqual({ balance: 9_980_000, held: 0 })
})

test('an item whose job fails is failed with the code of the job, and costs nothing', async () => {
  const { account, start, check, live, items, finishAll, batch } = await newBatchAccount()
  const id = await start(2)
  await check(id)
  const jobId = (await live(id))[0]?.jobId ?? ''
  const claim = await account.claim(jobId, 'fetch')
  await account.failStep({ jobId, lease: claim?.lease ?? '' }, failure('SOURCE_PRIVATE'))
  expect((await items(id, 'failed'))[0]).toMatchObject({ index: 0, jobId, code: 'SOURCE_PRIVATE', costMicros: null })
  await finishAll(id)
  expect(await batch(id)).toMatchObject({ counts: { completed: 1, failed: 1 }, costMicros: price })
})

test('the items are read by their state and page by page', async () => {
  const { start, check, finish, items } = await newBatchAccount(undefined, 3)
  const id = await start(7)
  await check(id)
  await finish(id)
  await check(id)
  const indexes = async (...[state, after, limit]: Parameters<typeof items> extends [string, ...infer R] ? R : never) =>
    (await items(id, state, after, limit)).map(({ index }) => index)
  expect(await indexes('completed')).toEqual([0, 1])
  expect(await indexes('queued')).toEqual([2, 3])
  expect(await indexes('waiting')).toEqual([4, 5, 6])
  expect(await indexes('waiting', 4, 1)).toEqual([5])
  expect(await indexes(null, 1, 2)).toEqual([2, 3])
  expect(await indexes('skipped')).toEqual([])
})

test('the jobs of a batch stay within its maxCostDollars, and what has not started is skipped', async () => {
  const { start, finishAll, batch, items, money } = await newBatchAccount()
  const id = await start(5, { maxCostMicros: micros(25_000) })
  await finishAll(id)
  expect(await batch(id)).toMatchObject({
    state: 'completed',
    costMicros: 20_000,
    counts: { completed: 2, skipped: 3 },
  })
  expect(await items(id, 'skipped')).toMatchObject([2, 3, 4].map((index) => ({ index, code: 'MAX_COST_EXCEEDED' })))
  expect(await money()).toEqual({ balance: 9_980_000, held: 0 })
})

test('an item waits while others of its batch hold money that they may not need', async () => {
  const { start, check, finish, states } = await newBatchAccount(undefined, 3)
  const id = await start(2, { maxCostMicros: micros(100_000) })
  await check(id, micros(60_000))
  expect(await states(id)).toBe('queued waiting')
  await finish(id)
  expect(await states(id)).toBe('completed queued')
})

test('a job that grows past the ceiling of its batch fails, although the balance would allow it', async () => {
  const { account, start, check, live, items, batch, finishAll } = await newBatchAccount()
  const id = await start(2, { maxCostMicros: micros(50_000) })
  await check(id)
  const jobId = (await live(id))[0]?.jobId ?? ''
  const lease = { jobId, lease: (await account.claim(jobId, 'fetch'))?.lease ?? '' }
  const report = { stage: 'downloading', percent: null, bytesPerSecond: null, downloadedBytes: MB } as const
  const small = await account.reportProgress(lease, { ...report, totalBytes: 4 * MB, wantedBytes: 9 * MB })
  expect(small).toEqual({ verdict: 'continue', agreedBytes: 5 * MB, agreedSeconds: null })
  expect(await account.progress(lease, { ...report, totalBytes: 6 * MB })).toBe('stop')
  expect((await items(id))[0]).toMatchObject({ state: 'failed', code: 'MAX_COST_EXCEEDED' })
  await finishAll(id)
  expect(await batch(id)).toMatchObject({ counts: { completed: 1, failed: 1 }, costMicros: price })
})

test('when the balance is too small for the next item, the rest is skipped', async () => {
  const { start, finishAll, batch, items, money } = await newBatchAccount(micros(25_000))
  const id = await start(5)
  await finishAll(id)
  expect(await batch(id)).toMatchObject({ state: 'completed', counts: { completed: 2, skipped: 3 } })
  expect(await items(id, 'skipped')).toMatchObject([2, 3, 4].map(() => ({ code: 'INSUFFICIENT_BALANCE' })))
  expect(await money()).toEqual({ balance: 5_000, held: 0 })
})

test('a canceled batch holds nothing, its jobs are canceled, and what was done stays done', async () => {
  const { account, identity, start, check, finish, live, states, money } = await newBatchAccount(undefined, 4)
  const id = await start(9)
  await check(id)
  await finish(id)
  const running = await live(id)
  const claim = await account.claim(running[0]?.jobId ?? '', 'fetch')
  const { result } = await account.cancelBatch(identity, id)
  const counts = { total: 9, waiting: 0, running: 0, completed: 3, failed: 0, skipped: 6 }
  expect(result).toMatchObject({ ok: true, value: { batch: { id, state: 'canceled', counts } } })
  const stopped = running.map(({ jobId }) => ({ jobId, attempt: jobId === claim?.job.id ? 1 : 0 }))
  if (result.ok) expect(result.value.stopped).toEqual(stopped)
  expect(await states(id)).toBe('completed completed completed canceled canceled canceled canceled canceled canceled')
  expect(await money()).toEqual({ balance: 9_970_000, held: 0 })
  const again = await account.cancelBatch(identity, id)
  expect(again.result).toMatchObject({ ok: true, value: { batch: { counts }, stopped: [] } })
})

test('an item whose job the caller cancels is canceled, and the others go on', async () => {
  const { account, identity, start, check, live, finishAll, states } = await newBatchAccount()
  const id = await start(3)
  await check(id)
  await account.remove({ ...identity, rateClass: 'general' }, (await live(id))[0]?.jobId ?? '')
  await finishAll(id)
  expect(await states(id)).toBe('canceled completed completed')
})

test('a retry is a new batch of what failed for a reason that may pass, was skipped or was canceled', async () => {
  const { account, identity, start, check, live, finishAll, items } = await newBatchAccount()
  const id = await start(5, { maxCostMicros: micros(25_000) })
  for (const [index, retryable] of [
    [0, true],
    [1, false],
  ] as const) {
    const task = await account.claimItem(id, index)
    if (task) await account.refuseItem(task, { ...unreachable, retryable })
  }
  await check(id)
  await account.remove({ ...identity, rateClass: 'general' }, (await live(id))[0]?.jobId ?? '')
  await finishAll(id)
  const request = { idempotency: { key: 'again', fingerprint: 'x' }, origin: null }
  const { result } = await account.retryBatch(identity, id, request)
  expect(result).toMatchObject({ ok: true, value: { total: 2 } })
  expect((await account.retryBatch(identity, id, request)).result).toEqual(result)
  const batchId = result.ok ? result.value.batchId : ''
  expect(batchId).not.toBe(id)
  expect((await items(batchId)).map(({ index, url }) => [index, url])).toEqual([
    [0, 'https://media.example/0.mp4'],
    [1, 'https://media.example/2.mp4'],
  ])
  await finishAll(batchId)
  const nothing = await account.retryBatch(identity, batchId, { idempotency: null, origin: null })
  expect(nothing.result).toMatchObject({ ok: false, refusal: { code: 'NOTHING_TO_RETRY' } })
})

test('a batch and its retries have one open retry at a time', async () => {
  const { account, identity, start } = await newBatchAccount()
  const retry = async (id: string) => {
    const { result } = await account.retryBatch(identity, id, { idempotency: null, origin: null })
    return result.ok ? result.value.batchId : result.refusal.code
  }
  const first = await start(3)
  await account.cancelBatch(identity, first)
  const second = await retry(first)
  await account.cancelBatch(identity, second)
  const third = await retry(second)
  expect(third).not.toBe(second)
  expect([await retry(first), await retry(second)]).toEqual([third, third])
  expect(await retry(third)).toBe('NOTHING_TO_RETRY')
})

test('an open retry answers another request although 100 batches are open, until it is canceled', async () => {
  const { account, identity, start } = await newBatchAccount()
  const id = await start(500)
  await account.cancelBatch(identity, id)
  const retry = async () => (await account.retryBatch(identity, id, { idempotency: null, origin: null })).result
  const first = await retry()
  const open: string[] = []
  for (let count = 0; count < 99; count++) open.push(await start(1))
  expect(await retry()).toEqual(first)
  await account.cancelBatch(identity, first.ok ? first.value.batchId : '')
  await account.cancelBatch(identity, open[0] ?? '')
  const next = await retry()
  expect(next).toMatchObject({ ok: true, value: { total: 500 } })
  expect(next).not.toEqual(first)
})

test('the same Idempotency-Key starts one batch, and another body with it is refused', async () => {
  const { account, identity } = await newBatchAccount()
  const claim = (fingerprint: string) => batchAdmission(2, { idempotency: { key: 'key', fingerprint } })
  const first = await account.admitBatch(identity, claim('one'))
  const again = await account.admitBatch(identity, claim('one'))
  expect(again.result).toEqual(first.result)
  const other = await account.admitBatch(identity, claim('other'))
  expect(other.result).toMatchObject({ ok: false, refusal: { code: 'IDEMPOTENCY_MISMATCH' } })
  const { result } = await account.batches(identity, { before: null, limit: 10 })
  expect(result).toMatchObject({ ok: true, value: [{ counts: { total: 2 } }] })
})

test('an unknown batch, and one of another account, is not found', async () => {
  const { account, identity } = await newBatchAccount()
  const other = await newBatchAccount()
  for (const id of [await other.start(2), 'bat_unknown']) {
    const answers = await Promise.all([
      account.readBatch(identity, id),
      account.batchItems(identity, id, { state: null }, { after: null, limit: 10 }),
      account.cancelBatch(identity, id),
      account.retryBatch(identity, id, { idempotency: null, origin: null }),
    ])
    for (const { result } of answers) expect(result).toMatchObject({ ok: false, refusal: { code: 'NOT_FOUND' } })
  }
})

test('a suspended account starts no batch and no item, and its batches go on when the suspension ends', async () => {
  const { account, identity, change, start, check, finish, states, finishAll } = await newBatchAccount()
  const id = await start(4)
  await check(id)
  await change({ suspended: true })
  const refusedStart = await account.admitBatch(identity, batchAdmission(1))
  expect(refusedStart.result).toMatchObject({ ok: false, refusal: { code: 'ACCOUNT_SUSPENDED' } })
  await finish(id)
  await check(id)
  expect(await states(id)).toBe('completed waiting waiting waiting')
  await change({ suspended: false })
  expect(await states(id)).toBe('completed queued waiting waiting')
  await finishAll(id)
  expect(await states(id)).toBe('completed completed completed completed')
})

test('a playlist is listed first, and its title and titles are kept', async () => {
  const { account, start, batch, items, finishAll } = await newBatchAccount()
  const id = await start(0, playlist)
  expect(await batch(id)).toMatchObject({ state: 'queued', counts: { total: null, waiting: 0 } })
  const task = await account.claimListing(id)
  expect(task).toMatchObject({ url: 'https://media.example/list', limit: 3 })
  expect(await account.claimListing(id)).toBeNull()
  if (!task) return
  const listed = { title: 'My films', items: ['a', 'b', 'a', 'c', 'd'].map(entry) }
  expect(await account.finishListing(task, listed)).toBe(true)
  expect(await account.finishListing(task, listed)).toBe(false)
  expect(await batch(id)).toMatchObject({ title: 'My films', counts: { total: 3, waiting: 3 } })
  await finishAll(id)
  expect((await items(id)).map(({ title }) => title)).toEqual(['film a', 'film b', 'film c'])
})

test('what a feed names beside an item is kept for its check, for its job and for a retry', async () => {
  const { account, identity, start, check, live } = await newBatchAccount()
  const transcript = { url: 'https://pod.example/a.vtt', format: 'vtt' as const, language: 'en' }
  const linked = { transcripts: [transcript], chapters: 'https://pod.example/a.json' }
  const { url: _, importId: __, uploadId: ___, ...request } = transcribeRequest()
  const id = await start(0, { ...playlist, item: { kind: 'transcription', request } })
  const listing = await account.claimListing(id)
  if (!listing) throw new Error('the playlist has no turn')
  await account.finishListing(listing, { title: 'Pod', items: [{ ...entry('a'), linked }, entry('b')] })
  await check(id)
  const [first] = await live(id)
  const claimed = await account.claim(first?.jobId ?? '', 'captions')
  expect(claimed?.job.request).toMatchObject({ url: 'https://media.example/a.mp4', linked })
  const other = await account.claimItem(id, 1)
  expect(other ?? {}).not.toHaveProperty('linked')
  await account.cancelBatch(identity, id)
  const { result } = await account.retryBatch(identity, id, { idempotency: null, origin: null })
  expect(result.ok && (await account.claimItem(result.value.batchId, 0))).toMatchObject({ linked })
})

test('an empty playlist, and one that cannot be read, fails its batch', async () => {
  const { account, start, batch } = await newBatchAccount()
  const [empty, unreadable] = [await start(0, playlist), await start(0, playlist)]
  const [first, second] = [await account.claimListing(empty), await account.claimListing(unreadable)]
  if (!first || !second) throw new Error('the playlists have no turn')
  await account.finishListing(first, { title: null, items: [] })
  await account.failListing(second, failure('SOURCE_PRIVATE'))
  expect(await batch(empty)).toMatchObject({ state: 'failed', failure: { code: 'NO_ITEMS' } })
  expect(await batch(unreadable)).toMatchObject({ state: 'failed', failure: { code: 'SOURCE_PRIVATE' } })
})

test('a listing is tried three times when the engine is busy', async () => {
  const { account, start, batch } = await newBatchAccount()
  const id = await start(0, playlist)
  for (let attempts = 0; attempts < 3; attempts++) {
    const task = await account.claimListing(id)
    if (!task) throw new Error('the playlist has no turn')
    await account.failListing(task, failure('INTERNAL'), { retryAfterMs: 10_000 })
    expect(await account.claimListing(id)).toBeNull()
    skip(10_000)
  }
  expect(await batch(id)).toMatchObject({ state: 'failed', failure: { code: 'INTERNAL' } })
})

test('a playlist whose batch was canceled is not listed', async () => {
  const { account, identity, start, batch } = await newBatchAccount()
  const id = await start(0, playlist)
  const task = await account.claimListing(id)
  await account.cancelBatch(identity, id)
  expect(await batch(id)).toMatchObject({ state: 'canceled', counts: { total: null, skipped: 0 } })
  if (task) expect(await account.finishListing(task, { title: null, items: [entry('a')] })).toBe(false)
})

test('a check that is lost is asked for again, and two checks of an item start one job', async () => {
  const { account, start, states } = await newBatchAccount()
  const id = await start(2)
  const first = await account.claimItem(id, 0)
  expect(await account.claimItem(id, 0)).toBeNull()
  skip(61_000)
  const second = await account.claimItem(id, 0)
  if (!first || !second) throw new Error('the item has no turn')
  const reports = await Promise.all(
    [first, second].map((task) => account.admitItem(task, { hold: price, diskBytes: null, reuseKey: 'a key' })),
  )
  expect(reports).toEqual([true, false])
  expect(await states(id)).toBe('queued waiting')
})

test('an item that was checked before an eviction of the object starts after it', async () => {
  const { account, start, check, states, finish, finishAll } = await newBatchAccount()
  const id = await start(3)
  await check(id)
  await evictDurableObject(account as never)
  await finish(id)
  expect(await states(id)).toBe('completed queued waiting')
  await finishAll(id)
  expect(await states(id)).toBe('completed completed completed')
})

test('an item that nobody can check fails when the time of a job has passed, so that its batch ends', async () => {
  const { account, start, batch, items } = await newBatchAccount()
  const id = await start(1)
  skip(JOB_DEADLINE_MS + 1)
  await runAlarm(account)
  expect(await batch(id)).toMatchObject({ state: 'completed', counts: { failed: 1 } })
  expect(await items(id)).toMatchObject([{ state: 'failed', code: 'INTERNAL' }])
})

test('an item that has waited for a slot for hours, and through an eviction, does not fail', async () => {
  const { account, start, check, states, finish } = await newBatchAccount()
  const id = await start(2)
  await check(id)
  skip(2 * 3_600_000)
  await runAlarm(account)
  await evictDurableObject(account as never)
  await runAlarm(account)
  expect(await states(id)).toBe('queued waiting')
  expect(await check(id)).toEqual([])
  await finish(id)
  expect(await states(id)).toBe('completed queued')
})

test('the provider key of a batch is given to the steps of its items, and is deleted when the batch ends', async () => {
  const { account, identity, start, check, live } = await newBatchAccount()
  const { url: _, importId: __, uploadId: ___, ...request } = transcribeRequest({ provider: 'provider_a' })
  const id = await start(1, { item: { kind: 'transcription', request }, sealedKey: 'sealed' })
  await check(id)
  const jobId = (await live(id))[0]?.jobId ?? ''
  const claim = await account.claim(jobId, 'audio')
  expect(await account.sealedKey({ jobId, lease: claim?.lease ?? '' })).toBe('sealed')
  await account.cancelBatch(identity, id)
  expect(await rowsOf(account, 'sealed_keys')).toEqual([])
})

test('100 batches may be open, and the next one is refused until one ends', async () => {
  const { account, identity, start } = await newBatchAccount()
  const ids: string[] = []
  for (let count = 0; count < 100; count++) ids.push(await start(1))
  const { result } = await account.admitBatch(identity, batchAdmission(1))
  expect(result).toMatchObject({ ok: false, refusal: { code: 'CONCURRENCY_LIMITED', facts: { limit: 100 } } })
  await account.cancelBatch(identity, ids[50] ?? '')
  await start(1)
})

test('a batch and its items are removed with the history of jobs', async () => {
  const { account, identity, start, finishAll, check } = await newBatchAccount()
  const ended = await start(2)
  await finishAll(ended)
  const open = await start(2)
  await check(open)
  skip((JOB_HISTORY_DAYS + 1) * DAY_MS)
  for (let alarms = 0; alarms < 3; alarms++) await runAlarm(account)
  expect((await rowsOf(account, 'batches')).map(({ id }) => id)).toEqual([open])
  expect(await rowsOf(account, 'batch_items')).toHaveLength(2)
  const { result } = await account.readBatch(identity, ended)
  expect(result).toMatchObject({ ok: false, refusal: { code: 'NOT_FOUND' } })
})

test('webhookUrl of the items tells of each job, and that of the batch of the batch, once', async () => {
  const { account, identity, start, check, finishAll } = await newBatchAccount()
  const webhookUrl = 'https://receiver.example/hook'
  const { url: _, ...request } = importRequest({ webhookUrl: `${webhookUrl}/item` })
  const item = { kind: 'import' as const, request }
  const done = await start(2, { item, webhookUrl })
  await finishAll(done)
  const canceled = await start(2, { webhookUrl })
  await check(canceled)
  await account.cancelBatch(identity, canceled)
  await account.cancelBatch(identity, canceled)
  const list = await account.deliveries(identity, { jobId: null, state: null }, { before: null, limit: 10 })
  const events = list.result.ok ? list.result.value : []
  // Those of one transaction are in any order.
  expect(events.map(({ type, batchId }) => [type, batchId]).sort()).toEqual([
    ['batch.canceled', canceled],
    ['batch.completed', done],
    ['import.completed', null],
    ['import.completed', null],
  ])
  const event = events.find(({ type }) => type === 'batch.completed')
  const claimed = await account.claimDelivery(event?.id ?? '')
  expect(claimed).toMatchObject({ job: null, batch: { id: done, state: 'completed', counts: { completed: 2 } } })
})
