import { evictDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { failure } from '../../../domain/codes/failures.ts'
import { JOB_DEADLINE_MS, JOB_HISTORY_DAYS } from '../../../domain/limits.ts'
import { micros } from '../../../domain/money/money.ts'
import {
  admission,
  answerOf,
  batchAdmission,
  finishImport,
  importRequest,
  leased,
  transcribeRequest,
} from '../support/account.ts'
import { MB, newBatchAccount, price } from '../support/account-batches.ts'
import { runAlarm, skip } from '../support/clock.ts'
import { rowsOf } from '../support/tables.ts'
import { log } from '../support/webhook-deliveries.ts'

const DAY_MS = 86_400_000
const playlist = { source: { kind: 'playlist' as const, url: 'https://media.example/list', limit: 3 } }
const entry = (name: string) => ({ url: `https://media.example/${name}.mp4`, title: `film ${name}` })
const { url: _, importId: __, uploadId: ___, ...transcribe } = transcribeRequest()
const transcriptions = { kind: 'transcription' as const, request: transcribe }
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
  const { jobId } = answerOf(await account.admit(identity, admission(price)))
  for (let count = 0; count < 2; count++) await account.admit(identity, admission(price))
  const id = await start(3)
  await check(id)
  expect((await batch(id)).counts).toMatchObject({ running: 1 })
  await finishImport(account, jobId, MB)
  expect((await batch(id)).counts).toMatchObject({ running: 2 })
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
  const [imports, words] = [await start(5), await start(5, { item: transcriptions })]
  for (const id of [imports, words]) await check(id)
  expect((await batch(imports)).counts).toMatchObject({ running: 1 })
  expect(await batch(words)).toMatchObject({ kind: 'transcription', counts: { running: 4 } })
})

test('a url that is refused fails its item only, without a job and without a hold', async () => {
  const { account, start, claimItem, finishAll, items, batch, money } = await newBatchAccount()
  const id = await start(3)
  const task = await claimItem(id, 0)
  expect(await account.refuseItem(task, unreachable)).toBe(true)
  expect(await account.refuseItem(task, unreachable)).toBe(false)
  expect(await account.admitItem(task, { announcedBytes: price * 100, diskBytes: null, reuseKey: 'a key' })).toBe(false)
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
  await account.failStep(await leased(account, jobId), failure('SOURCE_PRIVATE'))
  expect((await items(id, 'failed'))[0]).toMatchObject({ index: 0, jobId, code: 'SOURCE_PRIVATE', costMicros: null })
  await finishAll(id)
  expect(await batch(id)).toMatchObject({ counts: { completed: 1, failed: 1 }, costMicros: price })
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
  const lease = await leased(account, jobId)
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
  const { jobId: claimed } = await leased(account, running[0]?.jobId ?? '')
  const canceled = answerOf(await account.cancelBatch(identity, id))
  const counts = { total: 9, waiting: 0, running: 0, completed: 3, failed: 0, skipped: 6 }
  expect(canceled.batch).toMatchObject({ id, state: 'canceled', counts })
  // They are in the order of their ids, and those of one millisecond have none.
  const attempts = canceled.stopped.map(({ jobId, attempt }) => `${jobId} ${attempt}`)
  expect(attempts.sort()).toEqual(running.map(({ jobId }) => `${jobId} ${jobId === claimed ? 1 : 0}`).sort())
  expect(await states(id)).toBe('completed completed completed canceled canceled canceled canceled canceled canceled')
  expect(await money()).toEqual({ balance: 9_970_000, held: 0 })
  expect(answerOf(await account.cancelBatch(identity, id))).toMatchObject({ batch: { counts }, stopped: [] })
  const jobId = running[1]?.jobId ?? ''
  const { job } = answerOf(await account.read({ ...identity, rateClass: 'status' }, jobId, null))
  expect(job).toMatchObject({ state: 'failed', failure: { code: 'CANCELED' } })
  expect(await account.claimItem(id, 8)).toBeNull()
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
  const { account, identity, start, retry, claimItem, check, live, finishAll, items } = await newBatchAccount()
  const id = await start(5, { maxCostMicros: micros(25_000) })
  for (const [index, retryable] of [true, false].entries()) {
    await account.refuseItem(await claimItem(id, index), { ...unreachable, retryable })
  }
  await check(id)
  await account.remove({ ...identity, rateClass: 'general' }, (await live(id))[0]?.jobId ?? '')
  await finishAll(id)
  const batchId = await retry(id)
  expect(batchId).not.toBe(id)
  expect((await items(batchId)).map(({ index, url }) => [index, url])).toEqual([
    [0, 'https://media.example/0.mp4'],
    [1, 'https://media.example/2.mp4'],
  ])
  await finishAll(batchId)
  expect(await retry(batchId)).toBe('NOTHING_TO_RETRY')
})

test('a batch and its retries have one open retry at a time', async () => {
  const { account, identity, start, retry } = await newBatchAccount()
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
  const { account, identity, start, retry, batch } = await newBatchAccount()
  const id = await start(500)
  await account.cancelBatch(identity, id)
  const first = await retry(id)
  const open: string[] = []
  for (let count = 0; count < 99; count++) open.push(await start(1))
  expect(await retry(id)).toBe(first)
  await account.cancelBatch(identity, first)
  await account.cancelBatch(identity, open[0] ?? '')
  const next = await retry(id)
  expect(next).not.toBe(first)
  expect((await batch(next)).counts.total).toBe(500)
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
  const { account, start, claimListing, batch, items, finishAll } = await newBatchAccount()
  const id = await start(0, playlist)
  expect(await batch(id)).toMatchObject({ state: 'queued', counts: { total: null, waiting: 0 } })
  const task = await claimListing(id)
  expect(task).toMatchObject({ url: 'https://media.example/list', limit: 3 })
  expect(await account.claimListing(id)).toBeNull()
  const listed = { title: 'My films', items: ['a', 'b', 'a', 'c', 'd'].map(entry) }
  expect(await account.finishListing(task, listed)).toBe(true)
  expect(await account.finishListing(task, listed)).toBe(false)
  expect(await batch(id)).toMatchObject({ title: 'My films', counts: { total: 3, waiting: 3 } })
  await finishAll(id)
  expect((await items(id)).map(({ title }) => title)).toEqual(['film a', 'film b', 'film c'])
})

test('what a feed names beside an item is kept for its check, for its job and for a retry', async () => {
  const { account, identity, start, retry, claimItem, claimListing, check, live } = await newBatchAccount()
  const transcript = { url: 'https://pod.example/a.vtt', format: 'vtt' as const, language: 'en' }
  const linked = { transcripts: [transcript], chapters: 'https://pod.example/a.json' }
  const id = await start(0, { ...playlist, item: transcriptions })
  await account.finishListing(await claimListing(id), { title: 'Pod', items: [{ ...entry('a'), linked }, entry('b')] })
  await check(id)
  const [first] = await live(id)
  const claimed = await account.claim(first?.jobId ?? '', 'captions')
  expect(claimed?.job.request).toMatchObject({ url: 'https://media.example/a.mp4', linked })
  expect((await account.claimItem(id, 1)) ?? {}).not.toHaveProperty('linked')
  await account.cancelBatch(identity, id)
  expect(await claimItem(await retry(id), 0)).toMatchObject({ linked })
})

test('a playlist whose batch is canceled is listed no more, and its list comes too late', async () => {
  const { account, identity, start, claimListing, batch } = await newBatchAccount()
  const [id, other] = [await start(0, playlist), await start(0, playlist)]
  const task = await claimListing(id)
  for (const each of [id, other]) await account.cancelBatch(identity, each)
  expect(await batch(id)).toMatchObject({ state: 'canceled', counts: { total: null, skipped: 0 } })
  expect(await account.finishListing(task, { title: null, items: [entry('a')] })).toBe(false)
  expect(await account.claimListing(other)).toBeNull()
})

test('a check that is lost is asked for again, and two checks of an item start one job', async () => {
  const { account, start, claimItem, states } = await newBatchAccount()
  const id = await start(2)
  const first = await claimItem(id, 0)
  expect(await account.claimItem(id, 0)).toBeNull()
  skip(61_000)
  const second = await claimItem(id, 0)
  const reports = await Promise.all(
    [first, second].map((task) =>
      account.admitItem(task, { announcedBytes: price * 100, diskBytes: null, reuseKey: 'a key' }),
    ),
  )
  expect(reports).toEqual([true, false])
  expect(await states(id)).toBe('queued waiting')
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
  const request = { ...transcriptions.request, provider: 'provider_a' as const }
  const id = await start(1, { item: { ...transcriptions, request }, sealedKey: 'sealed' })
  await check(id)
  const lease = await leased(account, (await live(id))[0]?.jobId ?? '', 'audio')
  expect(await account.sealedKey(lease)).toBe('sealed')
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
  const events = await log(account, identity)
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
