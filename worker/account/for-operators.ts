import type { Totals } from '../domain/calls.ts'
import { accepted, type Result, refused } from '../domain/codes/refusals.ts'
import { type Micros, toDollars } from '../domain/money/money.ts'
import { AccountBooks } from './books.ts'
import { exists } from './entry/identity.ts'
import { addKey, revokeKey } from './entry/keys.ts'
import { credit, totals } from './ledger.ts'

/** What operators may do with an account. */
export abstract class ForOperators extends AccountBooks {
  create(account: { id: string; name: string; key: { id: string; hash: string }; credit: Micros }): Promise<void> {
    return this.books.clockwork.act((now) => {
      if (exists(this.books.sql)) return
      this.books.sql.exec('INSERT INTO account VALUES (?, ?, ?, 0, 0)', account.id, account.name, now)
      addKey(this.books.sql, account.key.id, account.key.hash, now)
      if (account.credit > 0) credit(this.books.sql, account.credit, null, now)
    })
  }

  addKey(key: { id: string; hash: string }): Promise<boolean> {
    return this.books.clockwork.act((now) => {
      if (!exists(this.books.sql)) return false
      addKey(this.books.sql, key.id, key.hash, now)
      return true
    })
  }

  revokeKey(keyId: string): Promise<boolean> {
    return this.books.clockwork.act((now) => exists(this.books.sql) && revokeKey(this.books.sql, keyId, now))
  }

  /** null: there is no such account. */
  credit(amount: Micros, reference: string): Promise<Result<Totals & { credited: boolean }> | null> {
    return this.books.clockwork.act((now) => {
      if (!exists(this.books.sql)) return null
      const standing = credit(this.books.sql, amount, reference, now)
      if (standing.amount !== amount) {
        const sentence = 'This reference was credited before, with another amount.'
        return refused('IDEMPOTENCY_MISMATCH', { creditedDollars: toDollars(standing.amount) }, sentence)
      }
      return accepted({ ...totals(this.books.sql), credited: standing.isNew })
    })
  }
}
