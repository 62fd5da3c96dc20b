import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { JOB_HISTORY_DAYS, RETENTION_DAYS } from '../../../domain/limits.ts'
import { transcriptKey } from '../../../domain/media/media-keys.ts'
import { micros } from '../../../domain/money/money.ts'
import { metricsOf } from '../../../worker/metrics/metrics-of.ts'
import { admission, answerOf } from '../support/account.ts'
import { type Caller, completed, namesIn, newCaller } from '../support/caller.ts'
import { eventually, passTime, runAlarm, skip } from '../support/clock.ts'
import { countUse } from '../support/counts.ts'
import { withLoneAccount } from '../support/lone-account.ts'
import {
  admitLater,
  copyJob,
  dueNow,
  inTables,
  keepChanges,
  recordedJobs,
  rowsOf,
  takeKeptChanges,
} from '../support/tables.ts'
import { completedWithCaptions } from '../support/transcriptions.ts'
import { startedOn } from '../support/uploads.ts'

const DAY_MS = 86_400_000
const HISTORY_MS = JOB_HISTORY_DAYS * DAY_MS

const ledger = async (caller: Pick<Caller, 'get'>): Promise<{ kind: string; amountDollars: number; jobId: string }[]> =>
  (await caller.get('/account/ledger')).body.data.entries

const sumOf = (entries: Awaited<ReturnType<typeof ledger>>, ...kinds: string[]): number =>
  entries.filter(({ kind }) => kinds.includes(kind)).reduce((sum, { amountDollars }) => sum + amountDollars, 0)

test('after 90 days an ended job is removed from the account and from D1, and is a 404', async () => {
  const caller = await newCaller()
  const jobId = await completed(caller)
  await eventually(async () =>
    expect(await recordedJobs(caller.accountId)).toEqual([{ id: jobId, state: 'completed' }]),
  )
  await passTime(caller.account, RETENTION_DAYS * DAY_MS)
  expect((await caller.get(`/jobs/${jobId}`)).status).toBe(200)
  await passTime(caller.account, HISTORY_MS - RETENTION_DAYS * DAY_MS + DAY_MS)
  const { status, body } = await caller.get(`/jobs/${jobId}`)
  expect([status, body.code]).toEqual([404, 'JOB_NOT_FOUND'])
  await eventually(async () => expect(await recordedJobs(caller.accountId)).toEqual([]))
  expect((await caller.get('/jobs')).body.data.jobs).toEqual([])
  expect((await caller.get('/account')).body.data.balanceDollars).toBe(9.99999)
})

/** When the cron wakes the account. */
const wakeAtOf = (accountId: string): Promise<number | null> =>
  runInDurableObject(
    metricsOf(env, accountId),
    (_, { storage: { sql } }) =>
      sql.exec<{ at: number | null }>('SELECT wake_at AS at FROM accounts WHERE account_id = ?', accountId).one().at,
  )

test('the metrics object knows the next day on which something is due, in case the alarm is dropped', async () => {
  const caller = await newCaller()
  await completed(caller)
  const alarm = async () => {
    await runAlarm(caller.account)
    await eventually(async () => expect(await inTables(caller.account, dueNow)).toEqual([]))
    for (let alarms = 0; alarms < 3; alarms++) await runAlarm(caller.account)
    await caller.account.wake()
    return wakeAtOf(caller.accountId)
  }
  skip(DAY_MS)
  const expiry = (await alarm()) ?? 0
  expect(Math.round((expiry - Date.now()) / DAY_MS)).toBe(6)
  skip(6 * DAY_MS + 60_000)
  const removal = (await alarm()) ?? 0
  expect(removal % DAY_MS).toBe(0)
  expect(Math.round((removal - Date.now()) / DAY_MS)).toBeGreaterThanOrEqual(JOB_HISTORY_DAYS - 7)
  skip(removal - Date.now() + 1)
  expect(await alarm()).toBeNull()
})

test('the transcript of a removed job is deleted', async () => {
  const { caller, jobId } = await completedWithCaptions()
  const key = transcriptKey(jobId, 'captions', await namesIn(jobId))
  expect(await env.MEDIA.head(key)).not.toBeNull()
  await passTime(caller.account, HISTORY_MS + DAY_MS)
  await eventually(async () => expect(await env.MEDIA.head(key)).toBeNull())
})

test('a sweep removes hundreds of jobs, and writes a row for the end of the media and of the job', async () => {
  const caller = await newCaller()
  const jobId = await completed(caller)
  await inTables(caller.account, (sql) => copyJob(sql, jobId, 1_200))
  skip(HISTORY_MS + DAY_MS)
  const counts = await countUse(caller)
  for (let alarms = 0; alarms < 4; alarms++) await passTime(caller.account, 1)
  expect(await rowsOf(caller.account, 'jobs')).toEqual([])
  // Besides, a few rows for each batch.
  expect(counts.objectRows).toBeLessThan(2 * 1_201 + 100)
})

test('jobs leave the lists of D1 when the account has removed the last of them', () =>
  withLoneAccount(micros(10_000_000), async ({ account, sql, identity }) => {
    const { jobId } = answerOf(await account.admit(identity, admission(micros(10_000))))
    await account.cancel({ ...identity, rateClass: 'general' }, jobId)
    copyJob(sql, jobId, 600)
    keepChanges(sql, 'trim')
    skip(HISTORY_MS + DAY_MS)
    const left = () => sql.exec<{ jobs: number }>('SELECT count(*) AS jobs FROM jobs').one().jobs
    // 500 at once, and the others a millisecond later.
    for (let alarms = 0; left() > 0 && alarms < 3; alarms++) {
      await account.alarm()
      skip(1)
    }
    expect([left(), takeKeptChanges(sql)]).toEqual([0, [expect.objectContaining({ kept: [] })]])
  }))

test('an old job whose file another job reads stays, also in the lists of D1', async () => {
  const caller = await newCaller()
  const [importId, other] = [await completed(caller), await completed(caller)]
  await startedOn(caller, { importId })
  await eventually(async () => expect(await recordedJobs(caller.accountId)).toHaveLength(2))
  await inTables(caller.account, admitLater(HISTORY_MS + DAY_MS))
  skip(HISTORY_MS + DAY_MS)
  await runAlarm(caller.account)
  await eventually(async () => {
    const listed = (await recordedJobs(caller.accountId)).map(({ id }) => id)
    expect([listed.includes(importId), listed.includes(other)]).toEqual([true, false])
  })
  expect((await caller.get(`/jobs/${importId}`)).status).toBe(200)
})

test('the ledger of a past month has one entry for each kind, and its sums stay', async () => {
  const caller = await newCaller()
  for (let times = 0; times < 3; times++) await completed(caller)
  const before = await ledger(caller)
  await passTime(caller.account, HISTORY_MS + 40 * DAY_MS)
  const after = await ledger(caller)
  expect(before.filter(({ kind }) => kind === 'charge')).toHaveLength(3)
  expect(after.map(({ kind }) => kind).sort()).toEqual(['charge', 'credit', 'hold', 'release'])
  expect(after.filter(({ kind }) => kind === 'charge')).toMatchObject([{ jobId: null }])
  for (const kinds of [['credit', 'charge'], ['credit', 'hold', 'release'], ['charge']]) {
    expect(sumOf(after, ...kinds)).toBeCloseTo(sumOf(before, ...kinds), 6)
  }
})

test('a reference that was credited years ago credits nothing again', async () => {
  const caller = await newCaller()
  await completed(caller)
  const credit = async () => caller.account.credit(1_000_000 as never, 'invoice 1')
  await credit()
  await caller.account.credit(1_000_000 as never, 'invoice 2')
  await passTime(caller.account, HISTORY_MS + 40 * DAY_MS)
  expect((await ledger(caller)).filter(({ kind }) => kind === 'credit')).toHaveLength(1)
  expect(await credit()).toMatchObject({ ok: true, value: { credited: false } })
})
