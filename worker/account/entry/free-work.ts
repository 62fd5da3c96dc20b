import { limitsOf, WINDOW_MS } from '../../../domain/account-limits.ts'
import { accepted, type Result, refused } from '../../../domain/codes/refusals.ts'
import type { AccountRows, FreeWork } from '../account-rows.ts'
import type { FreeWorkLeft } from '../calls.ts'

/**
 * Work that nobody pays for: of jobs that failed or were canceled, and of previews, listings and inspections. An account
 * has a budget of it for an hour, which begins with the first such work. It is counted in the account's row, which the end
 * of a job changes anyway. What previews add is written in parts of the budget, so an eviction of the object loses little.
 */
const WRITTEN_PARTS = 20

type Work = Pick<FreeWork, 'engineMs' | 'bytes'>

export const noteFreeWork = (rows: AccountRows, { engineMs, bytes }: Work, now: number): void => {
  const before = currentWork(rows, now)
  const work = { ...before, engineMs: before.engineMs + engineMs, bytes: before.bytes + bytes }
  rows.freeWork = work
  const { engineSecondsPerHour, bytesPerHour } = limitsOf(rows.account.limits).freeWork
  const partOf = ({ engineMs, bytes }: Work) =>
    Math.floor(WRITTEN_PARTS * Math.max(engineMs / 1_000 / engineSecondsPerHour, bytes / bytesPerHour))
  if (partOf(work) > partOf(before)) rows.saveUse()
}

/** A start or a preview, whose work may turn out to be free. */
export const checkFreeWork = (rows: AccountRows, endpoint: string, now: number): Result<null> => {
  const againAt = freeWorkAgainAt(rows, now)
  if (againAt === null) return accepted(null)
  const { engineSecondsPerHour, bytesPerHour } = limitsOf(rows.account.limits).freeWork
  const isTime = freeWorkLeft(rows, now).engineSecondsLeft === 0
  const limit = isTime ? engineSecondsPerHour : bytesPerHour
  const unit = isTime ? 'engine-seconds' : 'bytes'
  const message = `The limit of ${limit} ${unit} for work that ends without a charge is reached.`
  const reset = Math.ceil(againAt / 1_000)
  const retryAfter = Math.max(1, reset - Math.floor(now / 1_000))
  return refused('FREE_WORK_LIMITED', { limit, remaining: 0, reset, retryAfter, endpoint }, message)
}

/** When work may be free again. null: it may be. */
export const freeWorkAgainAt = (rows: AccountRows, now: number): number | null => {
  const { engineSecondsLeft, bytesLeft, resetsAt } = freeWorkLeft(rows, now)
  return engineSecondsLeft > 0 && bytesLeft > 0 ? null : resetsAt
}

export const freeWorkLeft = (rows: AccountRows, now: number): FreeWorkLeft => {
  const { startedAt, engineMs, bytes } = currentWork(rows, now)
  const { engineSecondsPerHour, bytesPerHour } = limitsOf(rows.account.limits).freeWork
  return {
    engineSecondsLeft: Math.max(0, engineSecondsPerHour - Math.floor(engineMs / 1_000)),
    bytesLeft: Math.max(0, bytesPerHour - bytes),
    resetsAt: startedAt + WINDOW_MS,
  }
}

const currentWork = ({ freeWork }: AccountRows, now: number): FreeWork =>
  freeWork && now < freeWork.startedAt + WINDOW_MS ? freeWork : { startedAt: now, engineMs: 0, bytes: 0 }
