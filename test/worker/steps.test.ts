import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { failure } from '../../worker/domain/codes/failures.ts'
import { RESEND_MS } from '../../worker/domain/limits.ts'
import { micros } from '../../worker/domain/money/money.ts'
import { type Account, admission, fetchedImport, finishImport, newAccount } from './account.ts'
import { eventually, expectWithin, timed } from './clock.ts'

const cent = micros(10_000)
const heard = (downloadedBytes: number, totalBytes: number | null = null) => ({
  stage: 'downloading',
  percent: null,
  downloadedBytes,
  totalBytes,
  bytesPerSecond: null,
})

const started = async (hold = cent, credit = micros(10_000_000)) => {
  const { account, pass } = await newAccount(credit)
  const { result } = await account.admit(pass, admission(hold))
  if (!result.ok) throw new Error(result.refusal.code)
  const { jobId } = result.value
  const job = async () => {
    const sighting = await account.read({ ...pass, rateClass: 'status' }, jobId, 'import')
    if (!sighting.result.ok) throw new Error(sighting.result.refusal.code)
    return sighting.result.value.job
  }
  const money = async () => {
    const summary = await account.summary({ ...pass, rateClass: 'general' })
    return summary.result.ok ? summary.result.value : null
  }
  return { account, pass, jobId, job, money }
}

const claimed = async (account: Account, jobId: string) => {
  const claim = await account.claim(jobId, 'fetch')
  if (!claim) throw new Error('nothing to claim')
  return { jobId, lease: claim.lease }
}

/** The clock of the runtime is real, so a lease is made to have run out rather than waited for. */
const letLeaseRunOut = (account: Account) =>
  runInDurableObject(account, (_, { storage }) => {
    storage.sql.exec('UPDATE jobs SET lease_until = 1 WHERE lease IS NOT NULL')
    storage.sql.exec("UPDATE schedule SET at = 1 WHERE kind = 'lease'")
  })

test('a step that was claimed cannot be claimed again while its lease lives', async () => {
  const { account, jobId } = await started()
  await claimed(account, jobId)
  expect(await account.claim(jobId, 'fetch')).toBeNull()
})

test('a job runs from its first progress on, and not before', async () => {
  const { account, jobId, job } = await started()
  const lease = await claimed(account, jobId)
  expect(await job()).toMatchObject({ state: 'queued', startedAt: null })
  await account.progress(lease, heard(0))
  expect(await job()).toMatchObject({ state: 'running', startedAt: expect.any(Number) })
})

test('a hold grows to the size that the source announces, before the bytes come', async () => {
  const { account, jobId, money } = await started()
  await account.progress(await claimed(account, jobId), heard(0, 100_000_000))
  expect(await money()).toMatchObject({ held: 1_000_000 })
})

test('a source that turns out larger than the balance covers fails the job and charges nothing', async () => {
  const { account, jobId, job, money } = await started(cent, micros(50_000))
  const lease = await claimed(account, jobId)
  expect(await account.progress(lease, heard(1000, 100_000_000))).toBe('stop')
  expect(await job()).toMatchObject({ state: 'failed', failure: { code: 'INSUFFICIENT_BALANCE' } })
  expect(await money()).toMatchObject({ balance: 50_000, held: 0 })
})

test('whoever comes with a lost lease is told so and changes nothing', async () => {
  const { account, jobId, job } = await started()
  const old = await claimed(account, jobId)
  await letLeaseRunOut(account)
  await runDurableObjectAlarm(account)
  const fresh = await claimed(account, jobId)
  expect(await account.progress(old, heard(5))).toBe('lost')
  expect(await account.failStep(old, failure('SOURCE_PRIVATE'))).toBe(false)
  expect(await account.giveBack(old)).toBe(false)
  const finished = { kind: 'import' as const, result: { ...fetchedImport(5), bucket: null } }
  expect(await account.complete(old, { finished, charge: micros(1), keys: [] })).toBe(false)
  expect(await account.progress(fresh, heard(5))).toBe('go on')
  expect(await job()).toMatchObject({ state: 'running' })
})

test('a lease that ran out is taken by the next message, even before the alarm rings', async () => {
  const { account, jobId } = await started()
  await claimed(account, jobId)
  await letLeaseRunOut(account)
  expect(await account.claim(jobId, 'fetch')).toMatchObject({ job: { attempts: 2 } })
})

test('after three attempts that came to nothing the job fails and its hold is released', async () => {
  const { account, jobId, job, money } = await started()
  for (let attempt = 1; attempt <= 3; attempt++) {
    await claimed(account, jobId)
    await letLeaseRunOut(account)
    await runDurableObjectAlarm(account)
  }
  expect(await account.claim(jobId, 'fetch')).toBeNull()
  expect(await job()).toMatchObject({ state: 'failed', failure: { code: 'INTERNAL', retryable: true } })
  expect(await money()).toMatchObject({ held: 0, balance: 10_000_000 })
})

test('a full container costs no attempt', async () => {
  const { account, jobId } = await started()
  for (let i = 0; i < 10; i++) await account.postpone(await claimed(account, jobId), { delayMs: 3_000 })
  expect(await account.claim(jobId, 'fetch')).toMatchObject({ job: { attempts: 1, state: 'queued' } })
})

test('a finished import is charged for its bytes once, and the rest of its hold is released', async () => {
  const { account, pass, jobId, job, money } = await started(micros(1_000_000))
  await finishImport(account, jobId, 15_342_100)
  expect(await job()).toMatchObject({ state: 'completed', result: { costMicros: 153_421 } })
  expect(await money()).toMatchObject({ balance: 9_846_579, held: 0 })
  const { result } = await account.ledger({ ...pass, rateClass: 'general' }, { before: null, limit: 10 })
  const entries = result.ok ? result.value.map(({ kind, amount }) => [kind, amount]) : []
  expect(entries.sort()).toEqual([
    ['charge', -153_421],
    ['credit', 10_000_000],
    ['hold', -1_000_000],
    ['release', 846_579],
  ])
})

test('canceling a running job releases its hold, and its container hears that the lease is lost', async () => {
  const { account, pass, jobId, job, money } = await started()
  const lease = await claimed(account, jobId)
  await account.progress(lease, heard(0))
  await account.remove(pass, jobId)
  expect(await job()).toMatchObject({ state: 'failed', failure: { code: 'CANCELED' } })
  expect(await money()).toMatchObject({ held: 0 })
  expect(await account.progress(lease, heard(5))).toBe('lost')
})

test('what an attempt began to store is thrown away when the attempt comes to nothing', async () => {
  const { account, jobId } = await started()
  const key = `media/${jobId}/1/media`
  await env.MEDIA.put(key, 'half a film')
  const lease = await claimed(account, jobId)
  await account.noteUpload(lease, { key, uploadId: null })
  await account.failStep(lease, failure('SOURCE_TRUNCATED'))
  await eventually(async () => expect(await env.MEDIA.head(key)).toBeNull())
})

test('after seven days the media is removed and the job remains', async () => {
  const { account, jobId, job } = await started()
  const key = `media/${jobId}/1/media`
  await env.MEDIA.put(key, 'a film')
  await finishImport(account, jobId, 6)
  const finished = await job()
  const inDays = (finished.kind === 'import' ? (finished.result?.expiresAt ?? 0) : 0) - Date.now()
  expect(Math.round(inDays / 86_400_000)).toBe(7)
  await runInDurableObject(account, (_, { storage }) =>
    storage.sql.exec("UPDATE schedule SET at = 1 WHERE kind = 'expire'"),
  )
  await runDurableObjectAlarm(account)
  await eventually(async () => expect(await env.MEDIA.head(key)).toBeNull())
  expect(await job()).toMatchObject({ state: 'completed', removedAt: expect.any(Number) })
})

test('a message that nobody claimed is sent again by the alarm, and the schedule outlives the object', async () => {
  const { account, jobId } = await started()
  await evictDurableObject(account)
  await runInDurableObject(account, (_, { storage }) =>
    storage.sql.exec("UPDATE schedule SET at = 1 WHERE kind = 'resend'"),
  )
  const { span } = await timed(() => runDurableObjectAlarm(account))
  const next = await runInDurableObject(account, (_, { storage }) =>
    storage.sql.exec<{ at: number }>("SELECT at FROM schedule WHERE kind = 'resend' AND ref = ?", jobId).one(),
  )
  expectWithin(next.at, span, RESEND_MS)
})

test('a job that does not end in its time is given up', async () => {
  const { account, job } = await started()
  await runInDurableObject(account, (_, { storage }) =>
    storage.sql.exec("UPDATE schedule SET at = 1 WHERE kind = 'deadline'"),
  )
  await runDurableObjectAlarm(account)
  expect(await job()).toMatchObject({ state: 'failed', failure: { code: 'TIMED_OUT' } })
})

test('a job and its end are in the directory', async () => {
  const { account, jobId } = await started()
  const stateOf = () => env.DB.prepare('SELECT state FROM jobs WHERE id = ?').bind(jobId).first('state')
  await eventually(async () => expect(await stateOf()).toBe('queued'))
  await finishImport(account, jobId, 10)
  await eventually(async () => expect(await stateOf()).toBe('completed'))
})

test('a job whose first step ends before it was heard of is on record as running', async () => {
  const { account, jobId } = await started()
  const lease = await claimed(account, jobId)
  await account.advance(lease, { next: 'deliver', carry: fetchedImport(1_000), owing: cent, keys: [] })
  const onRecord = () => env.DB.prepare('SELECT state FROM jobs WHERE id = ?').bind(jobId).first('state')
  await expect.poll(onRecord).toBe('running')
})
