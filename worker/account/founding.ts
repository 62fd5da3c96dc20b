import { MINUTE_MS } from '../../domain/time.ts'
import type { NewAccount } from '../directory.ts'
import { logEvent } from '../log.ts'
import { hasTables, migrate, schemaVersion } from '../sqlite.ts'
import type { AccountRows } from './account-rows.ts'
import { changeLists } from './due/due-rows.ts'
import { credit } from './holds-and-ledger.ts'
import { fullKey } from './keys/key-rows.ts'
import { accountVersions } from './schema.ts'

export type FindNewAccount = (accountId: string) => Promise<NewAccount | 'founded' | null>

/** An object without an account asks D1 this often at most, whoever calls it. */
const UNKNOWN_MS = MINUTE_MS

/** The first call to an object makes it, near the caller. So an account gets its object when its first caller comes. */
export class AccountFounding {
  readonly #ctx: DurableObjectState
  readonly #rows: AccountRows
  readonly #find: FindNewAccount
  #isCreated: boolean
  #finding: Promise<boolean> | null = null
  #unknownUntil = 0

  constructor(ctx: DurableObjectState, rows: AccountRows, find: FindNewAccount) {
    this.#ctx = ctx
    this.#rows = rows
    this.#find = find
    this.#isCreated = hasTables(rows.sql)
    if (this.#isCreated) migrateAccount(ctx, rows.sql)
  }

  /** Calls that come at once wait for one answer of D1. */
  isAccount(): boolean | Promise<boolean> {
    if (this.#isCreated) return true
    if (Date.now() < this.#unknownUntil) return false
    this.#finding ??= this.#findAndCreate().finally(() => {
      this.#finding = null
    })
    return this.#finding
  }

  create(account: NewAccount): void {
    if (this.#isCreated) return
    this.#ctx.storage.transactionSync(() => {
      const { sql } = this.#rows
      migrate(sql, accountVersions)
      sql.exec(
        'INSERT INTO account (id, name, created_at, balance_micros, held_micros) VALUES (?, ?, ?, 0, 0)',
        account.id,
        account.name,
        account.createdAt,
      )
      this.#rows.keys.save(fullKey(account.key, account.createdAt))
      if (account.credit > 0) credit(this.#rows, account.credit, null, account.createdAt)
      // D1 forgets the key and the credit.
      changeLists(sql, { kind: 'account' }, account.createdAt)
      this.#rows.save()
    })
    this.#isCreated = true
  }

  async #findAndCreate(): Promise<boolean> {
    const { name } = this.#ctx.id
    const account = name === undefined ? null : await this.#find(name)
    if (account !== null && account !== 'founded') {
      this.create(account)
      return true
    }
    // The object has lost its storage. Only an operator can help.
    if (account === 'founded') logEvent('account.lost', { accountId: name })
    this.#unknownUntil = Date.now() + UNKNOWN_MS
    return false
  }
}

/**
 * Calls and alarms wait for the migration. If it fails, nothing has changed, the runtime resets the object, and the
 * next call tries again. Cloudflare can restore the object to the bookmark for 30 days.
 */
export const migrateAccount = async (ctx: DurableObjectState, sql: SqlStorage): Promise<void> => {
  const from = schemaVersion(sql)
  const to = accountVersions.length
  const fields = { accountId: ctx.id.name, from, to }
  if (from > to) logEvent('account.schema_is_newer', fields, 'warn')
  if (from >= to) return
  const migrating = ctx.blockConcurrencyWhile(async () => {
    const bookmark = await bookmarkOf(ctx.storage)
    try {
      ctx.storage.transactionSync(() => migrate(sql, accountVersions, bookmark))
    } catch (cause) {
      logEvent('account.migration_failed', { ...fields, bookmark, error: `${cause}` }, 'error')
      throw cause
    }
    logEvent('account.migrated', { ...fields, bookmark })
  })
  // The calls that wait get the error.
  await migrating.catch(() => {})
}

/** null: this storage has no point-in-time recovery, for example on one's own server. */
const bookmarkOf = async (storage: DurableObjectStorage): Promise<string | null> => {
  try {
    return await storage.getCurrentBookmark()
  } catch {
    return null
  }
}
