import { FULL_KEY, type Need, type Scope, scopes } from '../../../domain/account/keys.ts'
import { type Result, refused } from '../../../domain/codes/refusals.ts'
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
  /** The web pages from which it may be used. Empty: none. */
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

/** The keys of an account are few. They are read once, and again after a change. */
export class Keys {
  readonly #sql: SqlStorage
  #byId: Map<string, ApiKey> | null = null
  #isChanged = false
  readonly #byHash = new Map<string, ApiKey>()

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  live(hash: string, now: number): ApiKey | null {
    this.#read()
    const key = this.#byHash.get(hash)
    return key && isLive(key, now) ? key : null
  }

  find(id: string | undefined): ApiKey | null {
    return (id && this.#read().get(id)) || null
  }

  all(): ApiKey[] {
    return [...this.#read().values()]
  }

  save(key: ApiKey): void {
    this.#sql.exec('DELETE FROM keys WHERE id = ?', key.id)
    keyTable.insert(this.#sql, key)
    this.#isChanged = true
    this.forget()
  }

  remove(id: string): void {
    this.#sql.exec('DELETE FROM keys WHERE id = ?', id)
    this.#isChanged = true
    this.forget()
  }

  /** Whether a key has changed since this was called before. */
  takeChanged(): boolean {
    const isChanged = this.#isChanged
    this.#isChanged = false
    return isChanged
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

/** A job, a batch or an upload. */
interface Made {
  keyId: string
}

export const mayUse = ({ scopes }: ApiKey, ...needed: readonly Scope[]): boolean =>
  needed.some((scope) => scopes.includes(scope))

export const isOwn = (key: ApiKey, { keyId }: Made): boolean => keyId === key.id && mayUse(key, 'import', 'transcribe')

/** Requests about anything else are answered as if it did not exist. */
export const maySee = (key: ApiKey, made: Made): boolean => mayUse(key, 'read') || isOwn(key, made)

/** The id of a key that sees only what it has made itself. null: it sees what all keys have made. */
export const onlyOf = (key: ApiKey): string | null => (mayUse(key, 'read') ? null : key.id)

/** Stopping what another key has started needs `manage`. */
export const mayStop = (key: ApiKey, made: Made): boolean => isOwn(key, made) || mayUse(key, 'manage')

export const meets = (key: ApiKey, needs: readonly Need[]): boolean =>
  needs.some((need) => (need === FULL_KEY ? !isLimited(key) : mayUse(key, need)))

/** Says what the key may do too, because a limited one cannot ask. */
export const scopeMissing = (key: ApiKey, ...needed: readonly Need[]): Result<never> => {
  const scope = needed.join(' or ')
  const facts = { scope, keyScopes: key.scopes.join(', ') }
  const message = needed.includes(FULL_KEY)
    ? 'This request needs a full key: one with all scopes, and without a budget, an expiry or origins.'
    : `This request needs a key with the scope ${scope}.`
  return refused('SCOPE_MISSING', facts, message)
}
