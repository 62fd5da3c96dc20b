import { accepted, type Result, refused } from '../../domain/codes/refusals.ts'
import { type Micros, toDollars } from '../../domain/money/money.ts'
import { AccountWithState } from './account-state.ts'
import type { AccountTotals } from './calls.ts'
import { addKey, revokeKey } from './entry/keys.ts'
import { credit, totals } from './holds-and-ledger.ts'

/** The account's methods for operators (routes under /admin). */
export abstract class ForOperators extends AccountWithState {
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
