import { accepted, type Result, refused } from '../../../domain/codes/refusals.ts'
import { isoTime } from '../../../domain/jobs/job-status.ts'
import { monthOf, nextMonthAt } from '../../../domain/keys.ts'
import { type Micros, max, micros, sum, toDollars, zero } from '../../../domain/money/money.ts'
import type { AccountRows } from '../account-rows.ts'
import type { JobRow } from '../jobs/job-rows.ts'
import type { ApiKey } from './key-rows.ts'

/**
 * A key may have a budget for a month of UTC. What its jobs were charged in the month and what is held for them now count
 * against it, and so does what keys use that it has made: otherwise it could make itself more money. The charges are in the
 * account's row, which is written with each of them anyway. Called when a job is charged.
 */
export const noteSpent = (
  { account }: AccountRows,
  { keyId }: Pick<JobRow, 'keyId'>,
  charged: Micros,
  now: number,
): void => {
  if (keyId == null || charged === 0) return
  const month = monthOf(now)
  const spent = account.keySpending.month === month ? account.keySpending.spent : {}
  account.keySpending = { month, spent: { ...spent, [keyId]: sum(spent[keyId] ?? zero, charged) } }
}

export const spentBy = ({ account: { keySpending } }: AccountRows, keyId: string, now: number): Micros =>
  (keySpending.month === monthOf(now) ? keySpending.spent[keyId] : undefined) ?? zero

export const heldBy = (jobs: JobRow[], id: string): Micros =>
  sum(...jobs.flatMap(({ keyId, held }) => (keyId === id && held !== null ? [held] : [])))

/** The key, the key that made it, and so on. */
const lineOf = (rows: AccountRows, keyId: string): ApiKey[] => {
  const key = rows.keys.find(keyId)
  return key ? [key, ...(key.madeBy === null ? [] : lineOf(rows, key.madeBy))] : []
}

const usedBy = (rows: AccountRows, { id }: ApiKey, now: number): Micros => {
  const users = rows.keys.all().filter((key) => lineOf(rows, key.id).some((above) => above.id === id))
  const jobs = rows.openJobs()
  return sum(...users.flatMap((key) => [spentBy(rows, key.id, now), heldBy(jobs, key.id)]))
}

/** What may still be held for jobs of the key. Infinity: nothing limits it. */
export const leftOfBudget = (rows: AccountRows, keyId: string | null | undefined, now: number): number => {
  const limited = keyId == null ? [] : lineOf(rows, keyId).filter((key) => key.monthlyBudget !== null)
  const left = limited.map((key) => (key.monthlyBudget ?? 0) - usedBy(rows, key, now))
  return Math.min(Number.POSITIVE_INFINITY, ...left)
}

/** Called in the transaction that admits a job. */
export const checkBudget = (rows: AccountRows, key: ApiKey, hold: Micros, now: number): Result<null> => {
  const left = leftOfBudget(rows, key.id, now)
  if (hold <= left) return accepted(null)
  return refused('KEY_BUDGET_EXCEEDED', {
    requiredDollars: toDollars(hold),
    availableDollars: toDollars(max(zero, micros(left))),
    resetsAt: isoTime(nextMonthAt(now)),
  })
}
