import { changedLimits, limitsOf } from '../../domain/account-limits.ts'
import { accepted, type Result, refused } from '../../domain/codes/refusals.ts'
import { type Micros, toDollars } from '../../domain/money/money.ts'
import type { AccountRow, AccountRows } from './account-rows.ts'
import { AccountWithState } from './account-state.ts'
import { startItems } from './batches/start-items.ts'
import { resumeTurns } from './batches/turns.ts'
import type { AccountChanges, AccountTotals, OperatedAccount } from './calls.ts'
import { addToOutbox } from './clockwork/outbox.ts'
import { addKey, revokeKey } from './entry/keys.ts'
import { credit, totals } from './holds-and-ledger.ts'
import { isLive } from './jobs/job-rows.ts'

/** The account's methods for operators (routes under /admin). */
export abstract class ForOperators extends AccountWithState {
  /** null: the account does not exist. */
  async look(): Promise<OperatedAccount | null> {
    if (!(await this.state.founding.isAccount())) return null
    return this.state.clockwork.read(() => operatedAccount(this.state.rows))
  }

  /** null: the account does not exist. */
  async change(changes: AccountChanges): Promise<OperatedAccount | null> {
    if (!(await this.state.founding.isAccount())) return null
    return this.state.clockwork.act((now) => {
      change(this.state.rows, changes, now)
      return operatedAccount(this.state.rows)
    })
  }

  async addKey(key: { id: string; hash: string }): Promise<boolean> {
    if (!(await this.state.founding.isAccount())) return false
    await this.state.clockwork.act((now) => addKey(this.state.rows.sql, key.id, key.hash, now))
    return true
  }

  async revokeKey(keyId: string): Promise<boolean> {
    if (!(await this.state.founding.isAccount())) return false
    return this.state.clockwork.act((now) => revokeKey(this.state.rows.sql, keyId, now))
  }

  /** null: the account does not exist. */
  async credit(amount: Micros, reference: string): Promise<Result<AccountTotals & { credited: boolean }> | null> {
    if (!(await this.state.founding.isAccount())) return null
    return this.state.clockwork.act((now) => {
      const { rows } = this.state
      const credited = credit(rows, amount, reference, now)
      if (credited.amount !== amount) {
        const message = 'This reference was already credited with a different amount.'
        return refused('IDEMPOTENCY_MISMATCH', { creditedDollars: toDollars(credited.amount) }, message)
      }
      return accepted({ ...totals(rows), credited: credited.isNew })
    })
  }
}

const change = (rows: AccountRows, { name, isSuspended, limits }: AccountChanges, now: number): void => {
  const { sql, account } = rows
  const listed = listedFacts(account)
  const wasSuspended = account.isSuspended
  account.name = name ?? account.name
  account.isSuspended = isSuspended ?? account.isSuspended
  if (limits) account.limits = changedLimits(account.limits, limits)
  if (listedFacts(account) !== listed) addToOutbox(sql, { kind: 'account' }, now)
  // There may be more places than before, or items that have waited for the end of the suspension.
  if (wasSuspended) resumeTurns(account, now)
  startItems(rows, now)
}

/** What D1 has a copy of, for lists. */
const listedFacts = ({ name, isSuspended }: AccountRow): string => JSON.stringify([name, isSuspended])

const operatedAccount = (rows: AccountRows): OperatedAccount => {
  const { id, name, createdAt, isSuspended, limits } = rows.account
  return {
    id,
    name,
    createdAt,
    isSuspended,
    ...totals(rows),
    limits: limitsOf(limits),
    liveJobs: rows.readOpenJobs().filter(isLive).length,
    lastUsedAt: rows.lastUsedAt,
  }
}
