import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { failure } from '../../../domain/codes/failures.ts'
import type { ImportRequest } from '../../../domain/jobs/job.ts'
import { JOB_DEADLINE_MS, LEASE_MS, RESEND_MS, RETENTION_DAYS } from '../../../domain/limits.ts'
import { mediaKey } from '../../../domain/media/media-keys.ts'
import { micros } from '../../../domain/money/money.ts'
import { DAY_MS } from '../../../domain/time.ts'
import { dueAt } from '../../../worker/account/due/due-rows.ts'
import {
  admission,
  answerOf,
  fetchedFile,
  fetchedImport,
  finishImport,
  importRequest,
  leased,
  mediaFacts,
  newAccount,
} from '../support/account.ts'
import { eventually, passTime, runAlarm, skip, timed } from '../support/clock.ts'
import { countUse } from '../support/counts.ts'
import { recordedJobs } from '../support/tables.ts'

const cent = micros(10_000)
const progressOf = (downloadedBytes: number, totalBytes: number | null = null) => ({
  stage: 'downloading' as const,
  percent: null,
  downloadedBytes,
  totalBytes,
  bytesPerSecond: null,
})

const stored = { attempt: 1, secret: 'secret', hasThumbnail: false }

const started = async (hold = cent, credit = micros(10_000_000), request: Partial<ImportRequest> = {}) => {
  const { account, accountId, identity } = await newAccount(credit)
  const { jobId } = answerOf(await account.admit(identity, admission(hold, { request: importRequest(request) })))
  const job = async () => answerOf(await account.read({ ...identity, rateClass: 'status' }, jobId, 'import')).job
  const money = async () => answerOf(await account.summary({ ...identity, rateClass: 'general' }))
  return { account, accountId, identity, jobId, job, money }
}

test('a job is queued until its first step is claimed, which cannot be claimed again before its lease expires', async () => {
  const { account, jobId, job } = await started()
  expect(await job()).toMatchObject({ state: 'queued', startedAt: null })
  await leased(account, jobId)
  expect(await job()).toMatchObject({ state: 'running', startedAt: expect.any(Number) })
  expect(await account.claim(jobId, 'fetch')).toBeNull()
  // Before the alarm runs.
  skip(LEASE_MS)
  expect(await account.claim(jobId, 'fetch')).toMatchObject({ job: { usedAttempts: 1, attempt: 2 } })
})

test.each([
  ['a container has the progress of a step that resolves its source', 'place-1', { stage: 'resolving' }],
  ['the Worker has no progress', 'worker-1', null],
])('before its first report, a step in %s', async (_title, lease, progress) => {
  const { account, jobId, job } = await started()
  expect(await account.claim(jobId, 'fetch', lease)).toMatchObject({ agreed: { bytes: 1_000_000, seconds: null } })
  const { progress: shown } = await job()
  expect(shown).toEqual(progress && expect.objectContaining(progress))
})

test('a hold grows to the size that the source announces, before the download', async () => {
  const { account, jobId, money } = await started()
  await account.progress(await leased(account, jobId), progressOf(0, 100_000_000))
  expect(await money()).toMatchObject({ held: 1_000_000 })
})

test('a source larger than the balance covers fails the job without a charge', async () => {
  const { account, jobId, job, money } = await started(cent, micros(50_000))
  const lease = await leased(account, jobId)
  expect(await account.progress(lease, progressOf(1000, 100_000_000))).toBe('stop')
  expect(await job()).toMatchObject({ state: 'failed', failure: { code: 'INSUFFICIENT_BALANCE' } })
  expect(await money()).toMatchObject({ balance: 50_000, held: 0 })
})

test('a download of unknown size is agreed as many bytes as it wants and the balance allows', async () => {
  const { account, jobId, job, money } = await started(cent, micros(50_000))
  const lease = await leased(account, jobId)
  const report = (downloadedBytes: number, more: { neededBytes?: number; wantedBytes?: number }) =>
    account.reportProgress(lease, { ...progressOf(downloadedBytes), ...more })
  const agreed = (agreedBytes: number) => ({ verdict: 'continue', agreedBytes, agreedSeconds: null })
  expect(await report(0, {})).toEqual(agreed(1_000_000))
  expect(await report(500_000, { wantedBytes: 4_500_000 })).toEqual(agreed(4_500_000))
  expect(await report(2_000_000, { wantedBytes: 9_000_000 })).toEqual(agreed(5_000_000))
  // It stands at the agreed bytes, but does not need more: it may be complete.
  expect(await report(5_000_000, { wantedBytes: 9_000_000 })).toEqual(agreed(5_000_000))
  expect(await job()).toMatchObject({ state: 'running' })
  expect(await report(5_000_000, { neededBytes: 5_000_001 })).toMatchObject({ verdict: 'stop' })
  expect(await job()).toMatchObject({ state: 'failed', failure: { code: 'INSUFFICIENT_BALANCE' } })
  expect(await money()).toMatchObject({ balance: 50_000, held: 0 })
})

test('two downloads share a balance: what one holds in advance, the other cannot', async () => {
  const { account, identity, jobId } = await started(cent, micros(100_000))
  const other = answerOf(await account.admit(identity, admission(cent)))
  const lease = await leased(account, jobId)
  const otherLease = await leased(account, other.jobId)
  const wants = (of: typeof lease, wantedBytes: number) => account.reportProgress(of, { ...progressOf(0), wantedBytes })
  expect(await wants(lease, 8_000_000)).toMatchObject({ agreedBytes: 8_000_000 })
  expect(await wants(otherLease, 8_000_000)).toEqual({
    verdict: 'continue',
    agreedBytes: 2_000_000,
    agreedSeconds: null,
  })
})

test('a report under a lost lease is rejected and changes nothing', async () => {
  const { account, jobId, job } = await started()
  const old = await leased(account, jobId)
  await passTime(account, LEASE_MS)
  const current = await leased(account, jobId)
  expect(await account.progress(old, progressOf(5))).toBe('lost')
  expect(await account.failStep(old, failure('SOURCE_PRIVATE'))).toBe(false)
  expect(await account.giveBack(old)).toBe(false)
  expect(await account.finishFetch(old, fetchedFile(fetchedImport(5)))).toBe('lost')
  expect(await account.progress(current, progressOf(5))).toBe('continue')
  expect(await job()).toMatchObject({ state: 'running' })
})

test('after three failed attempts the job fails and its hold is released', async () => {
  const { account, jobId, job, money } = await started()
  for (let attempt = 1; attempt <= 3; attempt++) {
    await account.giveBack(await leased(account, jobId))
  }
  expect(await account.claim(jobId, 'fetch')).toBeNull()
  expect(await job()).toMatchObject({ state: 'failed', failure: { code: 'INTERNAL', retryable: true } })
  expect(await money()).toMatchObject({ held: 0, balance: 10_000_000 })
})

test('a lease that expires uses no attempt: only its reports are missing', async () => {
  const { account, jobId, job } = await started()
  for (let attempt = 1; attempt <= 5; attempt++) {
    expect(await account.claim(jobId, 'fetch', `place-${attempt}`, attempt)).not.toBeNull()
    await passTime(account, LEASE_MS)
  }
  expect(await job()).toMatchObject({ state: 'running', usedAttempts: 0, attempt: 5 })
})

test('a step whose attempts vanish waits longer each time, at most five minutes', async () => {
  const { account, accountId, jobId } = await started()
  const messageAt = () =>
    runInDurableObject(env.ACCOUNTS.getByName(accountId), (_, { storage }) => dueAt(storage.sql, jobId) ?? 0)
  const expected = [0, 0, 0, 5, 10, 20, 40, 80, 160, 300, 300]
  for (const [index, seconds] of expected.entries()) {
    expect(await account.claim(jobId, 'fetch', `place-${index}`, index + 1)).not.toBeNull()
    const before = Date.now()
    await account.giveBack({ jobId, lease: `place-${index}` }, { isUsed: false })
    const due = await messageAt()
    // A message that is sent at once is due again when it may be lost.
    const delayMs = seconds === 0 ? RESEND_MS : seconds * 1_000
    expect(due - before).toBeGreaterThanOrEqual(delayMs)
    expect(due - Date.now()).toBeLessThanOrEqual(delayMs)
  }
})

test('a claim that does not know of the last lease changes nothing', async () => {
  const { account, jobId, job } = await started()
  await account.claim(jobId, 'fetch', 'place-1', 1)
  expect(await account.claim(jobId, 'fetch', 'place-2', 1)).toBeNull()
  await passTime(account, LEASE_MS)
  expect(await account.claim(jobId, 'fetch', 'place-1', 1)).toBeNull()
  expect(await job()).toMatchObject({ attempt: 1, usedAttempts: 0 })
})

test('a claim that knows of the last lease takes its place, and the reports of the old one are refused', async () => {
  const { account, jobId, job } = await started()
  await account.claim(jobId, 'fetch', 'place-1', 1)
  expect(await account.claim(jobId, 'fetch', 'place-2', 2)).toMatchObject({ job: { usedAttempts: 1, attempt: 2 } })
  expect(await account.giveBack({ jobId, lease: 'place-1' })).toBe(false)
  expect(await account.giveBack({ jobId, lease: 'place-2', attempt: 1 })).toBe(false)
  expect(await account.giveBack({ jobId, lease: 'place-2', attempt: 2 }, { isUsed: false })).toBe(true)
  expect(await job()).toMatchObject({ usedAttempts: 0, attempt: 2 })
})

test('a claim that is repeated under its lease gets the same answer', async () => {
  const { account, jobId } = await started()
  const first = await account.claim(jobId, 'fetch', 'place-1', 1)
  expect(await account.claim(jobId, 'fetch', 'place-1', 1)).toEqual(first)
})

test('a step that no engine can run fails its job, unless it has moved on', async () => {
  const { account, jobId, job } = await started()
  await account.claim(jobId, 'fetch', 'place-1', 1)
  expect(await account.refuseStep(jobId, 'fetch', 1, failure('MEDIA_TOO_LARGE'))).toBe(false)
  expect(await account.refuseStep(jobId, 'deliver', 2, failure('MEDIA_TOO_LARGE'))).toBe(false)
  expect(await account.refuseStep(jobId, 'fetch', 2, failure('MEDIA_TOO_LARGE'))).toBe(true)
  expect(await job()).toMatchObject({ state: 'failed', failure: { code: 'MEDIA_TOO_LARGE' } })
})

test('a step that is postponed, as by a full container, uses no attempt, and has a higher lease number', async () => {
  const { account, jobId } = await started()
  for (let attempt = 1; attempt < 11; attempt++) {
    const claim = await account.claim(jobId, 'fetch')
    expect(claim?.job).toMatchObject({ usedAttempts: 1, attempt })
    await account.postpone({ jobId, lease: claim?.lease ?? '' }, { delayMs: 3_000 })
  }
})

test('the next step continues the lease numbers of the step before it', async () => {
  const { account, jobId } = await started(cent, undefined, { store: true })
  await account.finishFetch(await leased(account, jobId), { facts: mediaFacts(1_000), stored })
  expect(await account.claim(jobId, 'deliver')).toMatchObject({ job: { usedAttempts: 1, attempt: 2 } })
})

test('a finished import is charged for its bytes once, and the rest of its hold is released', async () => {
  const { account, identity, jobId, job, money } = await started(micros(1_000_000))
  await finishImport(account, jobId, 15_342_100)
  expect(await job()).toMatchObject({ state: 'completed', result: { costMicros: 153_421 } })
  expect(await money()).toMatchObject({ balance: 9_846_579, held: 0 })
  const entries = answerOf(await account.ledger({ ...identity, rateClass: 'general' }, { before: null, limit: 10 }))
  expect(entries.map(({ kind, amount }) => [kind, amount]).sort()).toEqual([
    ['charge', -153_421],
    ['credit', 10_000_000],
    ['hold', -1_000_000],
    ['release', 846_579],
  ])
})

test('canceling a running job releases its hold and ends the lease of its step', async () => {
  const { account, identity, jobId, job, money } = await started()
  const lease = await leased(account, jobId)
  await account.progress(lease, progressOf(0))
  await account.remove(identity, jobId)
  expect(await job()).toMatchObject({ state: 'failed', failure: { code: 'CANCELED' } })
  expect(await money()).toMatchObject({ held: 0 })
  expect(await account.progress(lease, progressOf(5))).toBe('lost')
})

test('the objects of a failed attempt are discarded', async () => {
  const { account, jobId } = await started()
  const key = mediaKey(jobId, stored)
  await env.MEDIA.put(key, 'half a film')
  const lease = await leased(account, jobId)
  await account.noteUpload(lease, { key, uploadId: null })
  await account.failStep(lease, failure('SOURCE_TRUNCATED'))
  await eventually(async () => expect(await env.MEDIA.head(key)).toBeNull())
})

test('after seven days the media is removed and the job is kept', async () => {
  const { account, jobId, job } = await started()
  const key = mediaKey(jobId, stored)
  await env.MEDIA.put(key, 'a film')
  await finishImport(account, jobId, 6)
  const finished = await job()
  const inDays = (finished.kind === 'import' ? (finished.result?.expiresAt ?? 0) : 0) - Date.now()
  expect(Math.round(inDays / 86_400_000)).toBe(7)
  await passTime(account, RETENTION_DAYS * DAY_MS)
  await eventually(async () => expect(await env.MEDIA.head(key)).toBeNull())
  const expiresAt = finished.kind === 'import' && finished.result?.expiresAt
  expect(await job()).toMatchObject({ state: 'completed', removedAt: expiresAt })
})

test('an unclaimed message is sent again by the alarm, also after an eviction of the object', async () => {
  const { account, accountId } = await started()
  // Its first message has been sent when this ends.
  await runAlarm(account)
  const counts = await countUse({ account, accountId })
  skip(RESEND_MS)
  const alarmAt = () => runInDurableObject(account, (_, { storage }) => storage.getAlarm())
  const { span } = await timed(() => runAlarm(account))
  expect(counts.queueMessages).toBe(1)
  // Each pause is as long as all before. The alarm looks again after a minute at the latest, while something is sent.
  expect(await alarmAt()).toBeGreaterThanOrEqual(span.from + RESEND_MS)
  expect(await alarmAt()).toBeLessThanOrEqual(span.until + 2 * RESEND_MS)
  await evictDurableObject(account)
  await runAlarm(account)
  expect(counts.queueMessages).toBe(1)
  skip(2 * RESEND_MS)
  await runAlarm(account)
  expect(counts.queueMessages).toBe(2)
})

test('a job that exceeds its time limit fails', async () => {
  const { account, job } = await started()
  await passTime(account, JOB_DEADLINE_MS)
  expect(await job()).toMatchObject({ state: 'failed', failure: { code: 'TIMED_OUT' } })
})

test('the directory has no job that has not ended, and costs no row for it', async () => {
  const { account, accountId, jobId } = await started(cent, undefined, { store: true })
  await account.finishFetch(await leased(account, jobId), { facts: mediaFacts(1_000), stored })
  await runAlarm(account)
  expect(await recordedJobs(accountId)).toEqual([])
})
