import { fullRateState, type RateClass } from '../../../domain/account/account-limits.ts'
import { accepted, isLimit, type Result, refused } from '../../../domain/codes/refusals.ts'
import type { AccountRows } from '../account-rows.ts'
import type { AccountState, Act, Acting } from '../acts.ts'
import type { AccountAnswer, RequestIdentity } from '../calls.ts'
import { type ApiKey, meets, poolOf, scopeMissing } from '../keys/key-rows.ts'
import { countRequest, rateLimited, rateState } from './limits.ts'

export interface Requesting extends Acting {
  endpoint: string
  key: ApiKey
}

type Rule<Args extends unknown[], T> = (requesting: Requesting, ...args: Args) => Result<T>

interface RequestOptions<Args extends unknown[], T> {
  counts?: (result: Result<T>) => boolean
  /** The rate limit that the request counts against, if only the account knows it. */
  rateClass?: (account: AccountState, ...args: Args) => RateClass
}

type Request<Args extends unknown[], T> = Act<[identity: RequestIdentity, ...args: Args], Promise<AccountAnswer<T>>>

const requestBy =
  (how: 'act' | 'read') =>
  <Args extends unknown[], T>(rule: Rule<Args, T>, options: RequestOptions<Args, T> = {}): Request<Args, T> =>
  async (account, identity, ...args) => {
    if (!(await account.founding.isAccount())) return unknownAccount(account.rows, identity)
    return account.scheduler[how]((now) => answer(account, rule, options, identity, args, now))
  }

/** One transaction checks the key and the rate limit and runs the rule. The answer has the state of the rate limit. */
export const requestAct = requestBy('act')
export const readRequestAct = requestBy('read')

export const withFacts =
  <Args extends unknown[], T, Facts extends object>(
    request: Request<Args, T>,
    factsOf: (rows: AccountRows, identity: RequestIdentity) => Facts,
  ): Act<[identity: RequestIdentity, ...args: Args], Promise<AccountAnswer<T> & Partial<Facts>>> =>
  async (account, identity, ...args) => {
    const answer = await request(account, identity, ...args)
    const facts: Partial<Facts> = answer.result.ok ? factsOf(account.rows, identity) : {}
    return { ...answer, ...facts }
  }

export const withPrices = <Args extends unknown[], T>(request: Request<Args, T>) =>
  withFacts(request, ({ prices }) => ({ prices }))

export const authenticate = withPrices(readRequestAct(() => accepted(null)))

/** Refuses only a key that must not be used, and counts nothing: the request makes others, which are counted. */
export const checkKey: Request<[], null> = async ({ founding, scheduler, rows }, identity) => {
  if (!(await founding.isAccount())) return unknownAccount(rows, identity)
  return scheduler.read((now) => {
    const key = rows.keys.live(identity.keyHash, now)
    if (!key) return unknownAccount(rows, identity)
    const rate = rateState(rows, poolOf(key), identity.rateClass, now)
    return { rate, result: checkUse(key, identity), ...permission(key, identity) }
  })
}

/** Whether the key has the scope that the request needs, and may be used from the page that sends it. */
const checkUse = (key: ApiKey, { needs, alsoNeeds, origin = null }: RequestIdentity): Result<null> => {
  if (origin !== null && key.origins.length > 0 && !key.origins.includes(origin)) {
    return refused('ORIGIN_FORBIDDEN', {}, 'This key may not be used from pages of this origin.')
  }
  if (needs.length > 0 && !meets(key, needs)) return scopeMissing(key, ...needs)
  return alsoNeeds && !meets(key, [alsoNeeds]) ? scopeMissing(key, alsoNeeds) : accepted(null)
}

const permission = (key: ApiKey, { origin = null }: RequestIdentity): { allowsOrigin?: true } =>
  origin !== null && key.origins.includes(origin) ? { allowsOrigin: true } : {}

const answer = <Args extends unknown[], T>(
  account: AccountState,
  rule: Rule<Args, T>,
  { counts = isCounted, rateClass: classOf }: RequestOptions<Args, T>,
  identity: RequestIdentity,
  args: Args,
  now: number,
): AccountAnswer<T> => {
  const { rows } = account
  const { keyHash, endpoint } = identity
  const key = rows.keys.live(keyHash, now)
  if (!key) return unknownAccount(rows, identity)
  rows.use.noteUse(key.id, now)
  const allowed = permission(key, identity)
  const rateClass = classOf?.(account, ...args) ?? identity.rateClass
  const pool = poolOf(key)
  const before = rateState(rows, pool, rateClass, now)
  if (before.remaining === 0) return { rate: before, result: rateLimited(before, endpoint, now), ...allowed }
  const use = checkUse(key, identity)
  const result = use.ok ? rule({ ...account, endpoint, key, now }, ...args) : use
  if (counts(result)) countRequest(rows, pool, rateClass, now)
  return { rate: rateState(rows, pool, rateClass, now), result, ...allowed }
}

const unknownAccount = ({ terms }: AccountRows, { rateClass }: RequestIdentity): AccountAnswer<never> => ({
  rate: fullRateState(terms.limits, rateClass, Date.now()),
  result: refused('UNAUTHORIZED'),
})

/** A request that a limit refuses does not count. Every other one does, also the 403 of a suspended account. */
const isCounted = (result: Result<unknown>): boolean => result.ok || !isLimit(result.refusal.code)

/** The first of several calls of one request. It counts the request only if it refuses it; otherwise a later call does. */
export const ifRefused = (result: Result<unknown>): boolean => !result.ok && isCounted(result)

/** A call that may also find the response, and then is the last one. It counts the request if it answers or refuses it. */
export const ifAnswered = (result: Result<unknown>): boolean =>
  isCounted(result) && !(result.ok && result.value === null)
