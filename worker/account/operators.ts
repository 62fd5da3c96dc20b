import { changedLimits } from '../../domain/account/account-limits.ts'
import { accepted, type Result, refused } from '../../domain/codes/refusals.ts'
import { type Micros, toDollars } from '../../domain/money/money.ts'
import type { AccountRow } from './account-row.ts'
import type { AccountRows } from './account-rows.ts'
import type { Act, Acting } from './acts.ts'
import { startItems } from './batches/start-items.ts'
import { resumeTurns } from './batches/turns.ts'
import type { AccountChanges, AccountTotals } from './calls.ts'
import { changeLists } from './due/due-rows.ts'
import { credit, totals } from './holds-and-ledger.ts'
import { isLive } from './jobs/job-rows.ts'
import { fullKey } from './keys/key-rows.ts'
import { endKey } from './keys/manage-keys.ts'
import { startRebuild } from './search/index-work.ts'
import { wakeWatches } from './watches/manage-watches.ts'
import { endPausesOf } from './watches/pauses.ts'

/** null: there is no such account. */
const operatorAct =
  <Args extends unknown[], T>(rule: (acting: Acting, ...args: Args) => T): Act<Args, Promise<T | null>> =>
  async (account, ...args) => {
    if (!(await account.founding.isAccount())) return null
    return account.scheduler.act((now) => rule({ ...account, now }, ...args))
  }

export type OperatedAccount = ReturnType<typeof operatedAccount>

export const lookAtAccount: Act<[], Promise<OperatedAccount | null>> = async ({ founding, scheduler, rows }) =>
  (await founding.isAccount()) ? scheduler.read(() => operatedAccount(rows)) : null

export const changeAccount = operatorAct(({ rows, now }, { name, isSuspended, limits, prices }: AccountChanges) => {
  const { sql, account } = rows
  const listed = listedFacts(account)
  const wasSuspended = account.isSuspended
  account.name = name ?? account.name
  account.isSuspended = isSuspended ?? account.isSuspended
  if (limits) account.limits = changedLimits(account.limits, limits)
  if (prices !== undefined) account.prices = prices
  if (listedFacts(account) !== listed) changeLists(sql, { kind: 'account' }, now)
  // There may be more slots than before, or items that have waited for the end of the suspension.
  if (wasSuspended) resumeTurns(account, now)
  if (wasSuspended && !account.isSuspended) wakeWatches(rows, now)
  startItems(rows, now)
  return operatedAccount(rows)
})

export const addKeyToAccount = operatorAct(
  ({ rows, now }, key: { id: string; hash: string; prefix?: string | null }) => {
    if (!rows.keys.find(key.id)) rows.keys.save(fullKey(key, now))
    return true
  },
)

/** False: there is no such key. Revoking a revoked key keeps its first revocation time. */
export const revokeKeyOfAccount = operatorAct(({ rows, now }, keyId: string) => {
  const key = rows.keys.find(keyId)
  if (key && key.revokedAt === null) endKey(rows, key, now)
  return key !== null
})

export const creditAccount = operatorAct(
  ({ rows, now }, amount: Micros, reference: string): Result<AccountTotals & { credited: boolean }> => {
    const credited = credit(rows, amount, reference, now)
    if (credited.isNew) endPausesOf(rows, 'INSUFFICIENT_BALANCE', now)
    if (credited.amount !== amount) {
      const message = 'This reference was already credited with a different amount.'
      return refused('IDEMPOTENCY_MISMATCH', { creditedDollars: toDollars(credited.amount) }, message)
    }
    return accepted({ ...totals(rows), credited: credited.isNew })
  },
)

export const rebuildIndexOfAccount = operatorAct(({ rows, now }) => startRebuild(rows, now))

const listedFacts = ({ name, isSuspended }: AccountRow): string => JSON.stringify([name, isSuspended])

const operatedAccount = (rows: AccountRows) => {
  const { id, name, createdAt, isSuspended } = rows.account
  return {
    id,
    name,
    createdAt,
    isSuspended,
    ...totals(rows),
    limits: rows.limits,
    prices: rows.prices,
    liveJobs: rows.openJobs().filter(isLive).length,
    lastUsedAt: rows.use.lastUsedAt,
  }
}
