import { expect, test } from 'vitest'
import { micros } from '../../../domain/money/money.ts'
import { DAY_MS } from '../../../domain/time.ts'
import { findReusableJob } from '../../../worker/account/entry/reuse.ts'
import { type Account, admission, finishImport } from '../support/account.ts'
import { skip } from '../support/clock.ts'
import { type LoneAccount, withLoneAccount } from '../support/lone-account.ts'

type Imports = Pick<LoneAccount, 'account' | 'identity'>

const imported = async ({ account, identity }: Imports): Promise<string> => {
  const { result } = await account.admit(identity, admission(micros(10_000)))
  if (!result.ok) throw new Error(result.refusal.code)
  const { jobId } = result.value
  await finishImport(account as unknown as Account, jobId, 1_000)
  return jobId
}

/** How many days after its end the media expires. */
const daysOf = async ({ account, identity }: Imports, jobId: string): Promise<number> => {
  const { result } = await account.read({ ...identity, rateClass: 'status' }, jobId, 'import')
  if (!result.ok) throw new Error(result.refusal.code)
  const { job } = result.value
  return ((job.result as { expiresAt: number }).expiresAt - (job.completedAt ?? 0)) / DAY_MS
}

const withMedia = ({ sql }: LoneAccount): string[] =>
  sql
    .exec<{ id: string }>("SELECT id FROM jobs WHERE state = 'completed' AND removed_at IS NULL ORDER BY id")
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

test('a shorter retention moves the next sweep forward', async () => {
  await withLoneAccount(micros(10_000_000), async (lone) => {
    const { identity } = lone
    const year = await lone.evicted({ retentionDays: 365 })
    await imported({ account: year, identity })
    const account = await lone.evicted({ retentionDays: 1 })
    await imported({ account, identity })
    const query = 'SELECT sweep_at AS at FROM account'
    const { at } = lone.sql.exec<{ at: number }>(query).one()
    expect(at - Date.now()).toBeLessThanOrEqual(DAY_MS)
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
