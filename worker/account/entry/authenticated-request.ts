import { type Result, refused } from '../../../domain/codes/refusals.ts'
import { fullRateState } from '../../../domain/limits.ts'
import type { AccountAnswer, RequestIdentity } from '../calls.ts'
import type { Clockwork } from '../clockwork/clockwork.ts'
import { firstRow } from '../sqlite.ts'
import { type RateLimitWindows, rateLimited } from './rate-limit.ts'

/** Every authenticated request goes through here: the key, the rate limit and the request in one transaction. */
export class AuthenticatedRequests {
  readonly #sql: SqlStorage
  readonly #windows: RateLimitWindows
  readonly #clockwork: Clockwork

  constructor(sql: SqlStorage, windows: RateLimitWindows, clockwork: Clockwork) {
    this.#sql = sql
    this.#windows = windows
    this.#clockwork = clockwork
  }

  /** `counts` decides whether the request consumes from its rate limit. */
  handle<T>(
    { keyHash, rateClass, endpoint }: RequestIdentity,
    request: (now: number) => Result<T>,
    { counts = isCounted }: { counts?: (result: Result<T>) => boolean } = {},
  ): Promise<AccountAnswer<T>> {
    return this.#clockwork.act((now): AccountAnswer<T> => {
      if (!accountExists(this.#sql) || !isLiveKey(this.#sql, keyHash)) {
        return { rate: fullRateState(rateClass, now), result: refused('UNAUTHORIZED') }
      }
      const before = this.#windows.state(rateClass, now)
      if (before.remaining === 0) return { rate: before, result: rateLimited(before, endpoint, now) }
      const result = request(now)
      if (counts(result)) this.#windows.count(rateClass, now)
      return { rate: this.#windows.state(rateClass, now), result }
    })
  }
}

/** A 429 does not count; every other response does. */
const isCounted = (result: Result<unknown>): boolean => result.ok || result.refusal.code !== 'CONCURRENCY_LIMITED'

/** An object is created for every requested name, guessed names too. Only operators turn one into an account. */
export const accountExists = (sql: SqlStorage): boolean => firstRow(sql, 'SELECT 1 FROM account') !== undefined

export const readAccount = (sql: SqlStorage): { id: string; name: string } =>
  sql.exec<{ id: string; name: string }>('SELECT id, name FROM account').one()

export const addKey = (sql: SqlStorage, id: string, hash: string, now: number): void => {
  sql.exec('INSERT INTO keys (hash, id, created_at) VALUES (?, ?, ?)', hash, id, now)
}

export const isLiveKey = (sql: SqlStorage, hash: string): boolean =>
  firstRow(sql, 'SELECT 1 FROM keys WHERE hash = ? AND revoked_at IS NULL', hash) !== undefined

/** False for an unknown key. Revoking a revoked key keeps its first revocation time. */
export const revokeKey = (sql: SqlStorage, id: string, now: number): boolean =>
  sql.exec('UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?', now, id).rowsWritten > 0
