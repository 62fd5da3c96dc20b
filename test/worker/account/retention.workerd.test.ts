import { expect, test } from 'vitest'
import { micros } from '../../../domain/money/money.ts'
import { DAY_MS, HOUR_MS } from '../../../domain/time.ts'
import { dueAt } from '../../../worker/account/due/due-rows.ts'
import { findReusableJob } from '../../../worker/account/starts/reuse.ts'
import { admission, answerOf, finishImport } from '../support/account.ts'
import { nextMillisecond, skip } from '../support/clock.ts'
import { type LoneAccount, withLoneAccount } from '../support/lone-account.ts'

type Imports = Pick<LoneAccount, 'account' | 'identity'>

const admitted = async ({ account, identity }: Imports): Promise<string> => {
  nextMillisecond()
  return answerOf(await account.admit(identity, admission(micros(10_000)))).jobId
}

const imported = async ({ account, identity }: Imports): Promise<string> => {
  const jobId = await admitted({ account, identity })
  await finishImport(account, jobId, 1_000)
  return jobId
}

/** How many days after its end the media expires. */
const daysOf = async ({ account, identity }: Imports, jobId: string): Promise<number> => {
  const { job } = answerOf(await account.read({ ...identity, rateClass: 'status' }, jobId, 'import'))
  return ((job.result as { expiresAt: number }).expiresAt - (job.completedAt ?? 0)) / DAY_MS
}

const withMedia = (lone: LoneAccount): string[] => jobsIn(lone, "WHERE state = 'completed' AND removed_at IS NULL")

const jobsIn = ({ sql }: LoneAccount, condition = ''): string[] =>
  sql
    .exec<{ id: string }>(`SELECT id FROM jobs ${condition} ORDER BY id`)
    .toArray()
    .map(({ id }) => id)

test('media is stored for as long as the deployment said when the import was accepted', async () => {
  await withLoneAccount(micros(10_000_000), async (lone) => {
    const { identity } = lone
    let account = lone.account
    const weeks = await imported({ account, identity })
    account = await lone.evicted({ retentionDays: 30 })
    const month = await imported({ account, identity })
    account = await lone.evicted({ retentionDays: 1 })
    const day = await imported({ account, identity })
    const both = { account, identity }
    expect([await daysOf(both, weeks), await daysOf(both, month), await daysOf(both, day)]).toEqual([7, 30, 1])
    expect(withMedia(lone)).toEqual([weeks, month, day])
    skip(DAY_MS + 1)
    await account.alarm()
    expect(withMedia(lone)).toEqual([weeks, month])
    // Meanwhile imports come and go.
    skip(3 * DAY_MS)
    const later = await imported(both)
    skip(3 * DAY_MS + 1)
    await account.alarm()
    expect(withMedia(lone)).toEqual([month])
    skip(22 * DAY_MS)
    await account.alarm()
    expect(withMedia(lone)).toEqual([month])
    skip(DAY_MS + 1)
    await account.alarm()
    expect(withMedia(lone)).toEqual([])
    expect(await daysOf(both, later)).toBe(1)
  })
})

test.each([
  [7, 30],
  [30, 1],
])('an import that runs while the retention changes from %i days to %i keeps the first', async (days, later) => {
  await withLoneAccount(micros(10_000_000), async (lone) => {
    const { identity } = lone
    const jobId = await admitted({ account: await lone.evicted({ retentionDays: days }), identity })
    const account = await lone.evicted({ retentionDays: later })
    await finishImport(account, jobId, 1_000)
    expect(await daysOf({ account, identity }, jobId)).toBe(days)
    for (let hour = 1; hour < 24 * days; hour++) {
      skip(HOUR_MS)
      if (Date.now() >= lone.alarmAt()) await account.alarm()
    }
    expect(withMedia(lone)).toEqual([jobId])
    skip(HOUR_MS + 1)
    if (Date.now() >= lone.alarmAt()) await account.alarm()
    expect(withMedia(lone)).toEqual([])
  })
})

test('an import keeps its retention although the next one is accepted with another before it ends', async () => {
  await withLoneAccount(micros(10_000_000), async (lone) => {
    const { identity } = lone
    const first = await admitted({ account: await lone.evicted({ retentionDays: 30 }), identity })
    const account = await lone.evicted({ retentionDays: 1 })
    const second = await imported({ account, identity })
    await finishImport(account, first, 1_000)
    const both = { account, identity }
    expect([await daysOf(both, first), await daysOf(both, second)]).toEqual([30, 1])
  })
})

test('a job is kept as long as its media, also when the retention has become shorter than the history', async () => {
  await withLoneAccount(micros(10_000_000), async (lone) => {
    const { identity } = lone
    const jobId = await imported({ account: await lone.evicted({ retentionDays: 365 }), identity })
    const account = await lone.evicted({ retentionDays: 7 })
    const week = await imported({ account, identity })
    for (let day = 1; day < 365; day++) {
      skip(DAY_MS)
      await account.alarm()
    }
    expect([withMedia(lone), jobsIn(lone)]).toEqual([[jobId], [jobId, week]])
    skip(3 * DAY_MS)
    await account.alarm()
    skip(HOUR_MS)
    await account.alarm()
    expect(jobsIn(lone)).toEqual([])
  })
})

test('a shorter retention moves the next sweep forward', async () => {
  await withLoneAccount(micros(10_000_000), async (lone) => {
    const { identity } = lone
    const year = await lone.evicted({ retentionDays: 365 })
    await imported({ account: year, identity })
    const account = await lone.evicted({ retentionDays: 1 })
    await imported({ account, identity })
    expect((dueAt(lone.sql, 'sweep') ?? 0) - Date.now()).toBeLessThanOrEqual(DAY_MS)
  })
})

test('media that has expired answers no other start, although a sweep may still have to remove it', async () => {
  await withLoneAccount(micros(10_000_000), async (lone) => {
    const account = await lone.evicted({ retentionDays: 1 })
    const jobId = await imported({ account, identity: lone.identity })
    const found = () =>
      findReusableJob(account.state.rows, null, { kind: 'import', reuseKey: 'a key', withinMs: 7 * DAY_MS }, Date.now())
    expect(found()).toBe(jobId)
    skip(DAY_MS + 1)
    expect(found()).toBeNull()
  })
})
