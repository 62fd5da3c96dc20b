import { monthOf, nextMonthAt } from '../../../domain/account/keys.ts'
import { accepted, type Result, refused } from '../../../domain/codes/refusals.ts'
import { isoTime } from '../../../domain/jobs/job-status.ts'
import { type Micros, max, micros, sum, toDollars, zero } from '../../../domain/money/money.ts'
import type { AccountRows } from '../account-rows.ts'
import type { JobRow } from '../jobs/job-rows.ts'
import type { ApiKey } from './key-rows.ts'

/** What was charged in a month (UTC), and what is held, count against the budget of a key. */
export const noteSpent = (
  { account }: AccountRows,
  { keyId }: Pick<JobRow, 'keyId'>,
  charged: Micros,
  now: number,
): void => {
  if (charged === 0) return
  const month = monthOf(now)
  const spent = account.keySpending.month === month ? account.keySpending.spent : {}
  account.keySpending = { month, spent: { ...spent, [keyId]: sum(spent[keyId] ?? zero, charged) } }
}

export const spentBy = ({ account: { keySpending } }: AccountRows, keyId: string, now: number): Micros =>
  (keySpending.month === monthOf(now) ? keySpending.spent[keyId] : undefined) ?? zero

export const forgetSpending = ({ account }: AccountRows, keyId: string): void => {
  const { month, spent } = account.keySpending
  const { [keyId]: _, ...others } = spent
  account.keySpending = { month, spent: others }
}

export const heldBy = (jobs: JobRow[], id: string): Micros =>
  sum(...jobs.flatMap(({ keyId, held }) => (keyId === id && held !== null ? [held] : [])))

/** Infinity: nothing limits it. A key that has ended keeps its row while its work is open. */
export const leftOfBudget = (rows: AccountRows, keyId: JobRow['keyId'], now: number): number => {
  const key = rows.keys.find(keyId)
  if (!key) return 0
  if (key.monthlyBudget === null) return Number.POSITIVE_INFINITY
  return key.monthlyBudget - spentBy(rows, key.id, now) - heldBy(rows.openJobs(), key.id)
}

export const checkBudget = (rows: AccountRows, key: ApiKey, hold: Micros, now: number): Result<null> => {
  const left = leftOfBudget(rows, key.id, now)
  if (hold <= left) return accepted(null)
  return refused('KEY_BUDGET_EXCEEDED', {
    requiredDollars: toDollars(hold),
    availableDollars: toDollars(max(zero, micros(left))),
    resetsAt: isoTime(nextMonthAt(now)),
  })
}
