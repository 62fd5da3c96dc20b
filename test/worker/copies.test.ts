import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { failure } from '../../worker/domain/codes/failures.ts'
import { micros } from '../../worker/domain/money/money.ts'
import { copyRetryMs } from '../../worker/domain/storage/copies.ts'
import { type Account, admission, fetchedImport, importRequest, newAccount } from './account.ts'

const cent = micros(10_000)
const downloaded = 1_000_000
const busy = failure('STORAGE_FAILED', 'The storage server is busy or broken: SlowDown')
const delivering = {
  stage: 'delivering',
  percent: 0,
  downloadedBytes: downloaded,
  totalBytes: downloaded,
  bytesPerSecond: null,
}

/** An import whose file is fetched and waits to be delivered. */
const fetched = async () => {
  const { account, pass } = await newAccount()
  const { result } = await account.admit(pass, admission(cent, { request: importRequest({ store: true }) }))
  if (!result.ok) throw new Error(result.refusal.code)
  const { jobId } = result.value
  const claim = await account.claim(jobId, 'fetch')
  const carry = fetchedImport(downloaded)
  await account.advance({ jobId, lease: claim?.lease ?? '' }, { next: 'deliver', carry, owing: cent, keys: [] })
  const job = async () => {
    const sighting = await account.read({ ...pass, rateClass: 'status' }, jobId, 'import')
    return sighting.result.ok ? sighting.result.value.job : null
  }
  const money = async () => {
    const summary = await account.summary({ ...pass, rateClass: 'general' })
    return summary.result.ok ? summary.result.value : null
  }
  const take = async () => {
    const task = await account.claimCopy(jobId)
    if (task?.kind !== 'copy') throw new Error('nothing to copy')
    return { held: { jobId, lease: task.lease }, task }
  }
  return { account, pass, jobId, job, money, take, carry }
}

const rows = (account: Account, query: string) =>
  runInDurableObject(account, (_, { storage }) => storage.sql.exec(query).toArray())

const letTimePass = (account: Account) =>
  runInDurableObject(account, (_, { storage }) => {
    storage.sql.exec('UPDATE copies SET retry_at = 1')
    storage.sql.exec("UPDATE schedule SET at = 1 WHERE kind IN ('resend', 'cleanup')")
  })

test('a run goes on from the note of the one before it, and neither costs an attempt', async () => {
  const { account, take } = await fetched()
  const first = await take()
  expect(first.task).toMatchObject({ note: null, job: { attempts: 1 } })
  expect(await account.saveCopy(first.held, 'two parts')).toBe('go on')
  expect(await account.pauseCopy(first.held, { kind: 'more' })).toBe(true)
  expect(await account.saveCopy(first.held, 'three parts')).toBe('lost')
  const second = await take()
  expect(second.task).toMatchObject({ note: 'two parts', job: { attempts: 1, carry: { fileSizeBytes: downloaded } } })
})

test('a bucket that is busy is given time, in which a message that comes twice does nothing', async () => {
  const { account, jobId, take } = await fetched()
  await account.pauseCopy((await take()).held, { kind: 'retry', reason: busy })
  await letTimePass(account)
  // The second wait is a minute: longer than a busy machine takes from one line to the next.
  await account.pauseCopy((await take()).held, { kind: 'retry', reason: busy })
  expect(await account.claimCopy(jobId)).toBeNull()
  await letTimePass(account)
  expect((await take()).task.job.attempts).toBe(1)
})

test('a bucket that stays busy fails the job in half an hour, in its own words and at no cost', async () => {
  const { account, job, money, take } = await fetched()
  let waited = 0
  for (let tries = 0; copyRetryMs(tries) !== null; tries++) {
    await account.pauseCopy((await take()).held, { kind: 'retry', reason: busy })
    waited += copyRetryMs(tries) ?? 0
    expect(await job()).toMatchObject({ state: 'running' })
    await letTimePass(account)
  }
  expect(waited / 60_000).toBeCloseTo(30, 0)
  await account.pauseCopy((await take()).held, { kind: 'retry', reason: busy })
  expect(await job()).toMatchObject({ state: 'failed', failure: busy })
  expect(await money()).toMatchObject({ balance: 10_000_000, held: 0 })
})

test('what a delivered file costs is charged once, and its copy is forgotten', async () => {
  const { account, job, money, take, carry } = await fetched()
  const { held } = await take()
  await account.saveCopy(held, 'all parts')
  const bucket = { url: 'https://s3.example/media/film.mp4', bucket: 'media', key: 'film.mp4' }
  const done = { finished: { kind: 'import', result: { ...carry, bucket } }, charge: cent, keys: [] } as const
  expect(await account.complete(held, { ...done, keys: [] })).toBe(true)
  expect(await account.complete(held, { ...done, keys: [] })).toBe(false)
  expect(await job()).toMatchObject({ state: 'completed', result: { bucket } })
  expect(await money()).toMatchObject({ balance: 10_000_000 - cent, held: 0 })
  expect(await rows(account, 'SELECT * FROM copies')).toEqual([])
})

test('a job that is canceled has its upload cleaned up, and once more for parts that arrive late', async () => {
  const { account, pass, jobId, take } = await fetched()
  const { held } = await take()
  await account.saveCopy(held, 'two parts')
  await account.remove({ ...pass, rateClass: 'status' }, jobId)
  expect(await account.copyStanding(held)).toBe('over')
  expect(await account.claimCopy(jobId)).toEqual({ kind: 'clean up', note: 'two parts' })
  await account.cleanedUp(jobId)
  await letTimePass(account)
  await runDurableObjectAlarm(account)
  expect(await account.claimCopy(jobId)).toEqual({ kind: 'clean up', note: 'two parts' })
  await account.cleanedUp(jobId)
  expect(await account.claimCopy(jobId)).toBeNull()
  expect(await rows(account, "SELECT * FROM schedule WHERE kind = 'cleanup'")).toEqual([])
})

test('a bucket that is never there to be cleaned up is left alone in the end', async () => {
  const { account, pass, jobId, take } = await fetched()
  await account.saveCopy((await take()).held, 'two parts')
  await account.remove({ ...pass, rateClass: 'status' }, jobId)
  let sweeps = 0
  while (await account.claimCopy(jobId)) {
    sweeps++
    await letTimePass(account)
    await runDurableObjectAlarm(account)
  }
  expect(sweeps).toBe(5)
  expect(await rows(account, "SELECT * FROM schedule WHERE kind = 'cleanup'")).toEqual([])
})

test('a run that hears late of the end of its job still says what it began', async () => {
  const { account, pass, jobId, take } = await fetched()
  const { held } = await take()
  await account.remove({ ...pass, rateClass: 'status' }, jobId)
  expect(await account.claimCopy(jobId)).toBeNull()
  expect(await account.saveCopy(held, 'an upload just begun')).toBe('over')
  expect(await account.claimCopy(jobId)).toEqual({ kind: 'clean up', note: 'an upload just begun' })
})

test('a run that lost its lease to another changes nothing and leaves the upload to it', async () => {
  const { account, jobId, take } = await fetched()
  const { held: old } = await take()
  await account.saveCopy(old, 'one part')
  await runInDurableObject(account, (_, { storage }) => {
    storage.sql.exec('UPDATE jobs SET lease_until = 1 WHERE lease IS NOT NULL')
  })
  const { task } = await take()
  expect(task).toMatchObject({ note: 'one part', job: { attempts: 2 } })
  expect(await account.progress(old, delivering)).toBe('lost')
  expect(await account.copyStanding(old)).toBe('lost')
  expect(await account.saveCopy(old, 'another upload')).toBe('lost')
  expect(await account.failStep(old, busy)).toBe(false)
  expect(await account.saveCopy({ jobId, lease: task.lease }, 'two parts')).toBe('go on')
})
