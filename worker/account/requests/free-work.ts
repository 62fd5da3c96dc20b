import { WINDOW_MS } from '../../../domain/account/account-limits.ts'
import { accepted, type Result } from '../../../domain/codes/refusals.ts'
import type { AccountRows } from '../account-rows.ts'
import { readAct } from '../acts.ts'
import { readBatchRow } from '../batches/batch-rows.ts'
import { type ApiKey, poolOf } from '../keys/key-rows.ts'
import { watchTable } from '../watches/watch-rows.ts'
import { type Requesting, readRequestAct, withPrices } from './authenticated-request.ts'
import type { FreeWork, FreeWorkBudget, KeyPool } from './counted-use.ts'
import { checkSuspension, limitReached, runningWindow } from './limits.ts'

/** Work that nobody pays for. Its hour begins with the first such work, and what was used is forgotten at its end. */
export type Work = Pick<FreeWork, 'engineMs' | 'bytes'>

export const noteFreeWork = (
  rows: AccountRows,
  pool: KeyPool,
  budget: FreeWorkBudget,
  { engineMs, bytes }: Work,
  now: number,
): void => {
  const used = windowOf(rows, pool, budget, now)
  rows.use.setFreeWork(pool, budget, { ...used, engineMs: used.engineMs + engineMs, bytes: used.bytes + bytes })
}

/** Refuses while too much work has been free, because what is asked for may turn out to be free too. */
export const checkFreeWork = (requesting: Requesting, budget: FreeWorkBudget): Result<null> => {
  const { rows, key, now } = requesting
  const again = freeWorkAgainAt(rows, poolOf(key), budget) ?? now
  if (again <= now) return accepted(null)
  const { engineSecondsPerHour, bytesPerHour } = rows.limits.freeWork
  const isTime = leftOf(rows, windowOf(rows, poolOf(key), budget, now)).engineSecondsLeft === 0
  const limit = isTime ? engineSecondsPerHour : bytesPerHour
  const unit = isTime ? 'engine-seconds' : 'bytes'
  const message = `The limit of ${limit} ${unit} for work that ends without a charge is reached.`
  const retryAfter = Math.ceil((again - now) / 1_000)
  return limitReached(requesting, 'FREE_WORK_LIMITED', { limit, retryAfter, message })
}

export const checkMayWork = (requesting: Requesting, budget: FreeWorkBudget): Result<null> => {
  const suspension = checkSuspension(requesting.rows)
  return suspension.ok ? checkFreeWork(requesting, budget) : suspension
}

export const checkPreview = withPrices(readRequestAct((requesting) => checkFreeWork(requesting, 'lookups')))

/** Who asked for a look-up: a request for a preview or an inspection, a batch that is listed, or a watch. */
export type LookupBy = { keyHash: string } | { batchId: string } | { watchId: string }

export const noteLookup = readAct(({ rows, now }, by: LookupBy, work: Work) => {
  const { keys } = rows
  if ('keyHash' in by) return noteFreeWork(rows, poolOf(keys.live(by.keyHash, now)), 'lookups', work, now)
  if ('watchId' in by) {
    const keyId = watchTable.first(rows.sql, 'WHERE id = ?', by.watchId)?.keyId
    return noteFreeWork(rows, poolOf(keys.find(keyId)), 'lists', work, now)
  }
  const keyId = readBatchRow(rows.sql, by.batchId)?.request.keyId
  noteFreeWork(rows, poolOf(keys.find(keyId)), 'jobs', work, now)
})

/** When there is some again, which may be over. null: the last window was not used up. */
export const freeWorkAgainAt = (rows: AccountRows, pool: KeyPool, budget: FreeWorkBudget): number | null => {
  const window = rows.use.freeWorkOf(pool, budget)
  const left = window && leftOf(rows, window)
  return left && (left.engineSecondsLeft === 0 || left.bytesLeft === 0) ? window.startedAt + WINDOW_MS : null
}

export const isFreeWorkLeft = (rows: AccountRows, pool: KeyPool, now: number): boolean =>
  (freeWorkAgainAt(rows, pool, 'jobs') ?? now) <= now

export const freeWorkLeft = (rows: AccountRows, key: ApiKey, now: number) => {
  const window = windowOf(rows, poolOf(key), 'jobs', now)
  const isUsed = window.engineMs > 0 || window.bytes > 0
  return { ...leftOf(rows, window), resetsAt: isUsed ? window.startedAt + WINDOW_MS : now }
}

const leftOf = ({ limits }: AccountRows, { engineMs, bytes }: Work) => {
  const { engineSecondsPerHour, bytesPerHour } = limits.freeWork
  return {
    engineSecondsLeft: Math.max(0, engineSecondsPerHour - Math.floor(engineMs / 1_000)),
    bytesLeft: Math.max(0, bytesPerHour - bytes),
  }
}

const windowOf = (rows: AccountRows, pool: KeyPool, budget: FreeWorkBudget, now: number): FreeWork =>
  runningWindow(rows.use.freeWorkOf(pool, budget), now) ?? { startedAt: now, engineMs: 0, bytes: 0 }
