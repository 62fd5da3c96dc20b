import type { Answer, Pass } from '../../domain/calls.ts'
import { type Result, refused } from '../../domain/codes/refusals.ts'
import { untouched } from '../../domain/limits.ts'
import type { Clockwork } from '../clockwork/clockwork.ts'
import { rateLimited } from './admission.ts'
import { exists } from './identity.ts'
import { isLiveKey } from './keys.ts'
import type { Windows } from './windows.ts'

/** What every question of a caller passes: key first, then window, then the question itself, in one transaction. */
export class Gate {
  readonly #sql: SqlStorage
  readonly #windows: Windows
  readonly #clockwork: Clockwork

  constructor(sql: SqlStorage, windows: Windows, clockwork: Clockwork) {
    this.#sql = sql
    this.#windows = windows
    this.#clockwork = clockwork
  }

  answer<T>(
    { keyHash, rateClass, endpoint }: Pass,
    question: (now: number) => Result<T>,
    { counts = isCounted }: { counts?: (result: Result<T>) => boolean } = {},
  ): Promise<Answer<T>> {
    return this.#clockwork.act((now): Answer<T> => {
      if (!exists(this.#sql) || !isLiveKey(this.#sql, keyHash)) {
        return { rate: untouched(rateClass, now), result: refused('UNAUTHORIZED') }
      }
      const before = this.#windows.state(rateClass, now)
      if (before.remaining === 0) return { rate: before, result: rateLimited(before, endpoint, now) }
      const result = question(now)
      if (counts(result)) this.#windows.count(rateClass, now)
      return { rate: this.#windows.state(rateClass, now), result }
    })
  }
}

/** A 429 does not consume; any other answer does. */
const isCounted = (result: Result<unknown>): boolean => result.ok || result.refusal.code !== 'CONCURRENCY_LIMITED'
