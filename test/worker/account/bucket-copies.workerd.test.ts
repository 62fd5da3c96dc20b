import { expect, test } from 'vitest'
import { failure } from '../../../domain/codes/failures.ts'
import { LEASE_MS } from '../../../domain/limits.ts'
import { micros } from '../../../domain/money/money.ts'
import { copyRetryMs } from '../../../worker/account/jobs/bucket-copies.ts'
import { type Account, admission, fetchedFile, fetchedImport, importRequest, newAccount } from '../support/account.ts'
import { passTime, skip } from '../support/clock.ts'
import { rowsOf } from '../support/tables.ts'

const cent = micros(10_000)
const downloaded = 1_000_000
const busy = failure('STORAGE_FAILED', 'The storage server is busy or has an internal error: SlowDown')
const delivering = {
  stage: 'delivering' as const,
  percent: 0,
  downloadedBytes: downloaded,
  totalBytes: downloaded,
  bytesPerSecond: null,
}

/** An import whose fetch step is done and whose deliver step has not started. */
const fetched = async () => {
  const { account, identity } = await newAccount()
  const { result } = await account.admit(identity, admission(cent, { request: importRequest({ store: true }) }))
  if (!result.ok) throw new Error(result.refusal.code)
  const { jobId } = result.value
  const claim = await account.claim(jobId, 'fetch')
  await account.finishFetch({ jobId, lease: claim?.lease ?? '' }, fetchedFile(fetchedImport(downloaded)))
  const job = async () => {
    const snapshot = await account.read({ ...identity, rateClass: 'status' }, jobId, 'import')
    return snapshot.result.ok ? snapshot.result.value.job : null
  }
  const money = async () => {
    const summary = await account.summary({ ...identity, rateClass: 'general' })
    return summary.result.ok ? summary.result.value : null
  }
  const claimRun = async () => {
    const task = await account.claimCopy(jobId)
    if (!task) throw new Error('nothing to copy')
    return { lease: { jobId, lease: task.lease }, task }
  }
  return { account, identity, jobId, job, money, claimRun }
}

/** Longer than the cleanups of a bucket wait for each other. */
const DAY_MS = 86_400_000

const scheduledCleanups = async (account: Account) =>
  (await rowsOf(account, 'due')).filter(({ kind }) => kind === 'cleanup')

test('a run resumes from the note of the previous run, and neither counts as an attempt', async () => {
  const { account, claimRun } = await fetched()
  const first = await claimRun()
  expect(first.task).toMatchObject({ note: null, job: { usedAttempts: 1 } })
  expect(await account.saveCopy(first.lease, 'two parts')).toBe('continue')
  expect(await account.pauseCopy(first.lease, { kind: 'more' })).toBe(true)
  expect(await account.saveCopy(first.lease, 'three parts')).toBe('lost')
  const second = await claimRun()
  expect(second.task).toMatchObject({
    note: 'two parts',
    job: { usedAttempts: 1, carry: { fileSizeBytes: downloaded } },
  })
})

test('a copy to a busy bucket is retried later, and a duplicate message before that does nothing', async () => {
  const { account, jobId, claimRun } = await fetched()
  await account.pauseCopy((await claimRun()).lease, { kind: 'retry', reason: busy })
  skip(copyRetryMs(0) ?? 0)
  // The second delay is a minute, longer than a busy machine needs between two lines.
  await account.pauseCopy((await claimRun()).lease, { kind: 'retry', reason: busy })
  expect(await account.claimCopy(jobId)).toBeNull()
  skip(copyRetryMs(1) ?? 0)
  expect((await claimRun()).task.job.usedAttempts).toBe(1)
})

test('a bucket that stays busy for half an hour fails the job with its error message and without a charge', async () => {
  const { account, job, money, claimRun } = await fetched()
  let waited = 0
  for (let tries = 0; copyRetryMs(tries) !== null; tries++) {
    await account.pauseCopy((await claimRun()).lease, { kind: 'retry', reason: busy })
    expect(await job()).toMatchObject({ state: 'running' })
    waited += copyRetryMs(tries) ?? 0
    skip(copyRetryMs(tries) ?? 0)
  }
  expect(waited / 60_000).toBeCloseTo(30, 0)
  await account.pauseCopy((await claimRun()).lease, { kind: 'retry', reason: busy })
  expect(await job()).toMatchObject({ state: 'failed', failure: busy })
  expect(await money()).toMatchObject({ balance: 10_000_000, held: 0 })
})

test('a delivered file is charged once, and its copy state is deleted', async () => {
  const { account, job, money, claimRun } = await fetched()
  const { lease } = await claimRun()
  await account.saveCopy(lease, 'all parts')
  const bucket = { url: 'https://s3.example/media/film.mp4', bucket: 'media', key: 'film.mp4' }
  expect(await account.finishDelivery(lease, bucket)).toBe(true)
  expect(await account.finishDelivery(lease, bucket)).toBe(false)
  expect(await job()).toMatchObject({ state: 'completed', result: { bucket } })
  expect(await money()).toMatchObject({ balance: 10_000_000 - cent, held: 0 })
  expect(await rowsOf(account, 'copies')).toEqual([])
})

test('a run that is still copying when another run has completed the job leaves nothing to clean up', async () => {
  const { account, jobId, claimRun } = await fetched()
  const { lease: old } = await claimRun()
  skip(LEASE_MS)
  const { lease } = await claimRun()
  const bucket = { url: 'https://s3.example/media/film.mp4', bucket: 'media', key: 'film.mp4' }
  await account.finishDelivery(lease, bucket)
  expect(await account.saveCopy(old, 'all files')).toBe('over')
  expect(await account.noteToCleanUp(jobId)).toBeNull()
  expect(await scheduledCleanups(account)).toEqual([])
})

test('what a canceled job has copied is cleaned up twice, because requests may arrive after the first cleanup', async () => {
  const { account, identity, jobId, claimRun } = await fetched()
  const { lease } = await claimRun()
  await account.saveCopy(lease, 'two parts')
  await account.remove({ ...identity, rateClass: 'status' }, jobId)
  expect(await account.copyLeaseState(lease)).toBe('over')
  expect(await account.noteToCleanUp(jobId)).toBe('two parts')
  await account.cleanedUp(jobId)
  await passTime(account, DAY_MS)
  expect(await account.noteToCleanUp(jobId)).toBe('two parts')
  await account.cleanedUp(jobId)
  expect(await account.noteToCleanUp(jobId)).toBeNull()
  expect(await scheduledCleanups(account)).toEqual([])
})

test('the cleanup of an unreachable bucket stops after five attempts', async () => {
  const { account, identity, jobId, claimRun } = await fetched()
  await account.saveCopy((await claimRun()).lease, 'two parts')
  await account.remove({ ...identity, rateClass: 'status' }, jobId)
  let cleanups = 0
  while (await account.noteToCleanUp(jobId)) {
    cleanups++
    await passTime(account, DAY_MS)
  }
  expect(cleanups).toBe(5)
  expect(await scheduledCleanups(account)).toEqual([])
})

test('what a run begins after its job was canceled is cleaned up', async () => {
  const { account, identity, jobId, claimRun } = await fetched()
  const { lease } = await claimRun()
  await account.remove({ ...identity, rateClass: 'status' }, jobId)
  expect(await account.noteToCleanUp(jobId)).toBeNull()
  expect(await account.saveCopy(lease, 'a new upload')).toBe('over')
  expect(await account.noteToCleanUp(jobId)).toBe('a new upload')
})

test('a run that lost its lease to another run changes nothing', async () => {
  const { account, jobId, claimRun } = await fetched()
  const { lease: old } = await claimRun()
  await account.saveCopy(old, 'one part')
  skip(LEASE_MS)
  const { task } = await claimRun()
  expect(task).toMatchObject({ note: 'one part', job: { usedAttempts: 1, attempt: 3 } })
  expect(await account.progress(old, delivering)).toBe('lost')
  expect(await account.copyLeaseState(old)).toBe('lost')
  expect(await account.saveCopy(old, 'another upload')).toBe('lost')
  expect(await account.failStep(old, busy)).toBe(false)
  expect(await account.saveCopy({ jobId, lease: task.lease }, 'two parts')).toBe('continue')
})
