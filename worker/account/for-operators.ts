import { accepted, type Result, refused } from '../../domain/codes/refusals.ts'
import { type Micros, toDollars } from '../../domain/money/money.ts'
import { AccountWithState } from './account-state.ts'
import type { AccountTotals } from './calls.ts'
import { accountExists, addKey, revokeKey } from './entry/authenticated-request.ts'
import { credit, totals } from './holds-and-ledger.ts'

/** The account's methods for operators (routes under /admin). */
export abstract class ForOperators extends AccountWithState {
  create(account: { id: string; name: string; key: { id: string; hash: string }; credit: Micros }): Promise<void> {
    return this.state.clockwork.act((now) => {
      if (accountExists(this.state.sql)) return
      this.state.sql.exec('INSERT INTO account VALUES (?, ?, ?, 0, 0)', account.id, account.name, now)
      addKey(this.state.sql, account.key.id, account.key.hash, now)
      if (account.credit > 0) credit(this.state.sql, account.credit, null, now)
    })
  }

  addKey(key: { id: string; hash: string }): Promise<boolean> {
    return this.state.clockwork.act((now) => {
      if (!accountExists(this.state.sql)) return false
      addKey(this.state.sql, key.id, key.hash, now)
      return true
    })
  }

  revokeKey(keyId: string): Promise<boolean> {
    return this.state.clockwork.act((now) => accountExists(this.state.sql) && revokeKey(this.state.sql, keyId, now))
  }

  /** null: the account does not exist. */
  credit(amount: Micros, reference: string): Promise<Result<AccountTotals & { credited: boolean }> | null> {
    return this.state.clockwork.act((now) => {
      if (!accountExists(this.state.sql)) return null
      const credited = credit(this.state.sql, amount, reference, now)
      if (credited.amount !== amount) {
        const message = 'This reference was already credited with a different amount.'
        return refused('IDEMPOTENCY_MISMATCH', { creditedDollars: toDollars(credited.amount) }, message)
      }
      return accepted({ ...totals(this.state.sql), credited: credited.isNew })
    })
  }
}
