import { type Scope, scopes } from '../../../domain/keys.ts'
import type { Micros } from '../../../domain/money/money.ts'
import { jsonOr, plain, plains, Table } from '../../sqlite.ts'
import type { KeyPool } from '../requests/counted-use.ts'

export interface ApiKey {
  readonly id: string
  readonly hash: string
  /** How the key begins. */
  readonly prefix: string | null
  readonly createdAt: number
  /** null: an operator has made it. */
  readonly name: string | null
  readonly scopes: readonly Scope[]
  /** null: as much as there is. */
  readonly monthlyBudget: Micros | null
  readonly expiresAt: number | null
  /** Of web pages. Empty: it is used from none. */
  readonly origins: readonly string[]
  readonly revokedAt: number | null
}

const keyTable = new Table<ApiKey>('keys', {
  ...plains('id', 'hash', 'prefix', 'createdAt', 'name', 'expiresAt', 'revokedAt'),
  scopes: jsonOr<readonly Scope[]>(scopes, 'scopes'),
  monthlyBudget: plain('budget_micros'),
  origins: jsonOr<readonly string[]>([], 'origins'),
})

/** All other keys are full keys. Only those manage keys. */
export const isLimited = ({ scopes: own, monthlyBudget, expiresAt, origins }: ApiKey): boolean =>
  own.length < scopes.length || monthlyBudget !== null || expiresAt !== null || origins.length > 0

/** null: the key has ended and is forgotten. */
export const poolOf = (key: ApiKey | null): KeyPool => (key && !isLimited(key) ? 'full' : 'limited')

export const isLive = ({ revokedAt, expiresAt }: ApiKey, now: number): boolean =>
  revokedAt === null && (expiresAt === null || expiresAt > now)

export const fullKey = (
  { id, hash, prefix = null }: { id: string; hash: string; prefix?: string | null },
  now: number,
): ApiKey => ({
  ...{ id, hash, prefix, scopes, createdAt: now, name: null },
  ...{ monthlyBudget: null, expiresAt: null, origins: [], revokedAt: null },
})

/** They are few, read once, and again after a change. */
export class Keys {
  readonly #sql: SqlStorage
  #byId: Map<string, ApiKey> | null = null
  readonly #byHash = new Map<string, ApiKey>()

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  live(hash: string, now: number): ApiKey | null {
    this.#read()
    const key = this.#byHash.get(hash)
    return key && isLive(key, now) ? key : null
  }

  find(id: string | null | undefined): ApiKey | null {
    return (id && this.#read().get(id)) || null
  }

  all(): ApiKey[] {
    return [...this.#read().values()]
  }

  save(key: ApiKey): void {
    this.#sql.exec('DELETE FROM keys WHERE id = ?', key.id)
    keyTable.insert(this.#sql, key)
    this.forget()
  }

  remove(id: string): void {
    this.#sql.exec('DELETE FROM keys WHERE id = ?', id)
    this.forget()
  }

  forget(): void {
    this.#byId = null
    this.#byHash.clear()
  }

  #read(): Map<string, ApiKey> {
    if (this.#byId) return this.#byId
    const byId = new Map<string, ApiKey>()
    for (const key of keyTable.select(this.#sql, 'ORDER BY id')) {
      byId.set(key.id, key)
      this.#byHash.set(key.hash, key)
    }
    this.#byId = byId
    return byId
  }
}
