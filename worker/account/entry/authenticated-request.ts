import { fullRateState, type RateClass } from '../../../domain/account-limits.ts'
import { accepted, type Result, refused } from '../../../domain/codes/refusals.ts'
import type { AccountRows } from '../account-rows.ts'
import type { AccountAnswer, RequestIdentity } from '../calls.ts'
import type { Clockwork } from '../clockwork/clockwork.ts'
import type { AccountFounding } from './account-founding.ts'
import { countRequest, rateLimited, rateState } from './rate-limit.ts'

interface HandleOptions<T> {
  /** Whether the request consumes from its rate limit. */
  counts?: (result: Result<T>) => boolean
  /** The rate limit that the request counts against, if only the account knows it. */
  rateClass?: () => RateClass
}

/** Every authenticated request goes through here: the key, the rate limit and the request in one transaction. */
export class AuthenticatedRequests {
  readonly #rows: AccountRows
  readonly #clockwork: Clockwork
  readonly #founding: AccountFounding

  constructor(rows: AccountRows, clockwork: Clockwork, founding: AccountFounding) {
    this.#rows = rows
    this.#clockwork = clockwork
    this.#founding = founding
  }

  async handle<T>(
    identity: RequestIdentity,
    request: (now: number) => Result<T>,
    options: HandleOptions<T> = {},
  ): Promise<AccountAnswer<T>> {
    if (!(await this.#founding.isAccount())) return unknownAccount(identity)
    return this.#clockwork.act((now) => this.#answer(identity, request, options, now))
  }

  /** For requests that change nothing but what is counted of requests. */
  async read<T>(identity: RequestIdentity, request: (now: number) => Result<T>): Promise<AccountAnswer<T>> {
    if (!(await this.#founding.isAccount())) return unknownAccount(identity)
    return this.#clockwork.read((now) => this.#answer(identity, request, {}, now))
  }

  /** Refuses only a key that is not live, and counts nothing. */
  async checkKey(identity: RequestIdentity): Promise<AccountAnswer<null>> {
    if (!(await this.#founding.isAccount())) return unknownAccount(identity)
    return this.#clockwork.read((now) =>
      this.#rows.isLiveKey(identity.keyHash)
        ? { rate: rateState(this.#rows, identity.rateClass, now), result: accepted(null) }
        : unknownAccount(identity),
    )
  }

  #answer<T>(
    identity: RequestIdentity,
    request: (now: number) => Result<T>,
    { counts = isCounted, rateClass: classOf = () => identity.rateClass }: HandleOptions<T>,
    now: number,
  ): AccountAnswer<T> {
    const { keyHash, endpoint } = identity
    if (!this.#rows.isLiveKey(keyHash)) {
      return { rate: fullRateState(identity.rateClass, now), result: refused('UNAUTHORIZED') }
    }
    this.#rows.noteUse(now)
    const rateClass = classOf()
    const before = rateState(this.#rows, rateClass, now)
    if (before.remaining === 0) return { rate: before, result: rateLimited(before, endpoint, now) }
    const result = request(now)
    if (counts(result)) countRequest(this.#rows, rateClass, now)
    return { rate: rateState(this.#rows, rateClass, now), result }
  }
}

const unknownAccount = ({ rateClass }: RequestIdentity): AccountAnswer<never> => ({
  rate: fullRateState(rateClass, Date.now()),
  result: refused('UNAUTHORIZED'),
})

/** A 429 does not count; every other response does, also the 403 of a suspended account. */
export const isCounted = (result: Result<unknown>): boolean =>
  result.ok || result.refusal.code !== 'CONCURRENCY_LIMITED'
