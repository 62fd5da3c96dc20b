import { WINDOW_MS } from '../../../domain/account-limits.ts'
import { accepted, type Result } from '../../../domain/codes/refusals.ts'
import type { FreeWork } from '../account-row.ts'
import type { AccountRows } from '../account-rows.ts'
import { readAct } from '../acts.ts'
import type { FreeWorkLeft } from '../calls.ts'
import { readRequestAct, withPrices } from './authenticated-request.ts'
import { checkSuspension, limitReached } from './shared-refusals.ts'

/**
 * Work that nobody pays for: of jobs that failed or were canceled, and of previews, listings and inspections. An account
 * has a budget of it. What it has used grows with such work and shrinks evenly, by the whole budget in an hour. So a job
 * that fails after five hours is paid back in full before the next one starts.
 */
export type Work = Pick<FreeWork, 'engineMs' | 'bytes'>

/** Counted in memory. The row is written with the end of a job, and when it lacks this part of the budget. */
const UNSAVED_PART = 1 / 20

export const noteFreeWork = (rows: AccountRows, { engineMs, bytes }: Work, now: number): void => {
  const used = usedOf(rows, now)
  rows.freeWork = { countedAt: now, engineMs: used.engineMs + engineMs, bytes: used.bytes + bytes }
  if (shareOf(rows, now) - shareOf(rows, now, rows.savedFreeWork) >= UNSAVED_PART) rows.saveUse()
}

/** Called when the limits have changed. What was used of a larger budget is at most all of the new one. */
export const capFreeWork = (rows: AccountRows, now: number): void => {
  const { engineMs, bytes } = usedOf(rows, now)
  const { engineSecondsPerHour, bytesPerHour } = rows.limits.freeWork
  rows.freeWork = {
    countedAt: now,
    engineMs: Math.min(engineMs, engineSecondsPerHour * 1_000),
    bytes: Math.min(bytes, bytesPerHour),
  }
}

/** Refuses a start while too much work has been free, because its work may turn out to be free too. */
export const checkFreeWork = (rows: AccountRows, endpoint: string, now: number): Result<null> => {
  if (isFreeWorkLeft(rows, now)) return accepted(null)
  const { engineSecondsPerHour, bytesPerHour } = rows.limits.freeWork
  const isTime = freeWorkLeft(rows, now).engineSecondsLeft === 0
  const limit = isTime ? engineSecondsPerHour : bytesPerHour
  const unit = isTime ? 'engine-seconds' : 'bytes'
  const message = `The limit of ${limit} ${unit} for work that ends without a charge is reached.`
  const retryAfter = Math.ceil(((freeWorkAgainAt(rows) ?? now) - now) / 1_000)
  return limitReached('FREE_WORK_LIMITED', { limit, retryAfter, endpoint, now, message })
}

/** What every start needs: an account that is not suspended, and free work that is left. */
export const checkMayWork = (rows: AccountRows, endpoint: string, now: number): Result<null> => {
  const suspension = checkSuspension(rows)
  return suspension.ok ? checkFreeWork(rows, endpoint, now) : suspension
}

/** Whether a preview may be made. */
export const checkPreview = withPrices(readRequestAct(({ rows, endpoint, now }) => checkFreeWork(rows, endpoint, now)))

/** Counts what a preview, a listing or an inspection took. */
export const noteLookup = readAct(({ rows, now }, work: Work) => noteFreeWork(rows, work, now))

/** When something may start, which may be over. null: there has been no time at which nothing might. */
export const freeWorkAgainAt = (rows: AccountRows): number | null => {
  const { freeWork } = rows
  const share = freeWork ? shareOf(rows, freeWork.countedAt) : 0
  return freeWork && share >= 1 ? freeWork.countedAt + Math.ceil((share - 1) * WINDOW_MS) + 1 : null
}

export const isFreeWorkLeft = (rows: AccountRows, now: number): boolean => (freeWorkAgainAt(rows) ?? now) <= now

export const freeWorkLeft = (rows: AccountRows, now: number): FreeWorkLeft => {
  const { engineMs, bytes } = usedOf(rows, now)
  const { engineSecondsPerHour, bytesPerHour } = rows.limits.freeWork
  return {
    engineSecondsLeft: Math.max(0, engineSecondsPerHour - Math.floor(engineMs / 1_000)),
    bytesLeft: Math.max(0, bytesPerHour - Math.floor(bytes)),
    resetsAt: now + Math.ceil(shareOf(rows, now) * WINDOW_MS),
  }
}

/** How much of the budget is used. More than 1 when the last work was more than what was left. */
const shareOf = (rows: AccountRows, now: number, work = rows.freeWork): number => {
  const { engineMs, bytes } = usedOf(rows, now, work)
  const { engineSecondsPerHour, bytesPerHour } = rows.limits.freeWork
  return Math.max(engineMs / 1_000 / engineSecondsPerHour, bytes / bytesPerHour)
}

const usedOf = (rows: AccountRows, now: number, work = rows.freeWork): Work => {
  if (!work) return { engineMs: 0, bytes: 0 }
  const { engineSecondsPerHour, bytesPerHour } = rows.limits.freeWork
  const hours = Math.max(0, now - work.countedAt) / WINDOW_MS
  return {
    engineMs: Math.max(0, work.engineMs - hours * engineSecondsPerHour * 1_000),
    bytes: Math.max(0, work.bytes - hours * bytesPerHour),
  }
}
