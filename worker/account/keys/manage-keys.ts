import { accepted, type Result, refused } from '../../../domain/codes/refusals.ts'
import { MAX_KEYS } from '../../../domain/keys.ts'
import type { Micros } from '../../../domain/money/money.ts'
import type { AccountRows } from '../account-rows.ts'
import { changeLists } from '../due/due-rows.ts'
import { readRequestAct, requestAct } from '../entry/authenticated-request.ts'
import { heldBy, leftOfBudget, noteSpent, spentBy } from './budgets.ts'
import { type ApiKey, isLive } from './key-rows.ts'
import { mayUse } from './permissions.ts'

/** Keys as their owners see them, and what may be changed of them. */
export interface ShownKey extends Omit<ApiKey, 'hash' | 'madeBy' | 'revokedAt'> {
  spentThisMonth: Micros
  held: Micros
  lastUsedAt: number | null
}

export type KeyTerms = Pick<ApiKey, 'name' | 'scopes' | 'monthlyBudget' | 'expiresAt' | 'origins'>

export interface NewKey extends KeyTerms {
  /** Chosen by the caller of the account, so that a repeated call finds its key. */
  id: string
  hash: string
  prefix: string
}

export type KeyChanges = { [Name in keyof KeyTerms]?: KeyTerms[Name] | undefined }

export const createKey = requestAct(({ rows, key: by, now }, given: NewKey): Result<ShownKey> => {
  const known = rows.keys.find(given.id)
  if (known) return accepted(shown(rows, known, now))
  const excess = excessOf(rows, by, given, null, now)
  if (excess) return moreThanItHas(excess)
  if (liveKeys(rows, now).length >= MAX_KEYS) {
    return refused('TOO_MANY_KEYS', { limit: MAX_KEYS }, `An account can have ${MAX_KEYS} keys. Remove one first.`)
  }
  forgetEnded(rows, now)
  const key = { ...given, createdAt: now, madeBy: by.id, revokedAt: null }
  rows.keys.save(key)
  keepOrigins(rows, now)
  return accepted(shown(rows, key, now))
})

export const readKeys = readRequestAct(({ rows, now }) =>
  accepted(liveKeys(rows, now).map((key) => shown(rows, key, now))),
)

export const changeKey = requestAct(({ rows, key: by, now }, id: string, changes: KeyChanges): Result<ShownKey> => {
  const key = findLive(rows, id, now)
  if (!key) return keyNotFound()
  const terms = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  const changed: ApiKey = { ...key, ...terms }
  const excess = excessOf(rows, by, changed, key, now)
  if (excess) return moreThanItHas(excess)
  if (!mayUse(changed, 'manage') && isLastManager(rows, key, now)) return lastKey()
  rows.keys.save(changed)
  keepOrigins(rows, now)
  return accepted(shown(rows, changed, now))
})

/** A key that was removed before is gone, as the request wants: the first answer may have been lost. */
export const removeKey = requestAct(({ rows, now }, id: string): Result<null> => {
  const key = rows.keys.find(id)
  if (!key) return keyNotFound()
  if (key.revokedAt !== null) return accepted(null)
  if (isLastManager(rows, key, now)) return lastKey()
  endKey(rows, key, now)
  return accepted(null)
})

export const endKey = (rows: AccountRows, key: ApiKey, now: number): void => {
  rows.keys.save({ ...key, revokedAt: now })
  keepOrigins(rows, now)
}

const liveKeys = ({ keys }: AccountRows, now: number): ApiKey[] => keys.all().filter((key) => isLive(key, now))

const findLive = ({ keys }: AccountRows, id: string, now: number): ApiKey | null => {
  const key = keys.find(id)
  return key && isLive(key, now) ? key : null
}

const keyNotFound = (): Result<never> => refused('NOT_FOUND', {}, 'There is no key with this id.')
const lastKey = (): Result<never> => refused('LAST_KEY')

/** Without it, nobody but an operator could make or change keys. */
const isLastManager = (rows: AccountRows, key: ApiKey, now: number): boolean =>
  mayUse(key, 'manage') && liveKeys(rows, now).every((other) => other.id === key.id || !mayUse(other, 'manage'))

const moreThanItHas = (what: string): Result<never> =>
  refused('SCOPE_MISSING', {}, `A key can give another one no more than it has itself: ${what}.`)

/**
 * What of the terms is more than the key `by` has, in words. null: nothing. Of a key that is changed, what stays or becomes
 * less is not compared.
 */
const excessOf = (
  rows: AccountRows,
  by: ApiKey,
  { scopes, monthlyBudget, expiresAt, origins }: KeyTerms,
  before: ApiKey | null,
  now: number,
): string | null => {
  const isSame = before?.id === by.id
  const had: Partial<ApiKey> = before ?? {}
  const tooMuch = scopes.filter((scope) => !by.scopes.includes(scope) && !had.scopes?.includes(scope))
  if (tooMuch.length > 0) return `it lacks the scope ${tooMuch.join(', ')}`
  const left = isSame ? (by.monthlyBudget ?? Number.POSITIVE_INFINITY) : leftOfBudget(rows, by.id, now)
  if (!isWithin(monthlyBudget, left, had.monthlyBudget)) return 'dollarsPerMonth exceeds what is left of its budget'
  const until = by.expiresAt ?? Number.POSITIVE_INFINITY
  if (!isWithin(expiresAt, until, had.expiresAt)) return 'it expires earlier'
  if (by.origins.length === 0) return null
  const foreign = origins.filter((origin) => !by.origins.includes(origin) && !had.origins?.includes(origin))
  const isOpened = origins.length === 0 && had.origins?.length !== 0
  return foreign.length > 0 || isOpened ? 'it may not be used from these origins' : null
}

/** null stands for no limit. `before`: what the key has had. */
const isWithin = (value: number | null, most: number, before: number | null | undefined): boolean => {
  const asked = value ?? Number.POSITIVE_INFINITY
  const had = before === undefined ? Number.NEGATIVE_INFINITY : (before ?? Number.POSITIVE_INFINITY)
  return asked <= most || asked <= had
}

const MAX_ENDED = 50

/**
 * Keys are made and removed without a limit, and all of them are read at once. So of those that have ended only the latest are
 * kept, those that have made others, and those that have open jobs. What a forgotten key has spent counts for its maker.
 */
const forgetEnded = (rows: AccountRows, now: number): void => {
  const keys = rows.keys.all()
  const needed = new Set([...keys.map(({ madeBy }) => madeBy), ...rows.openJobs().map(({ keyId }) => keyId)])
  const ended = keys.filter((key) => !isLive(key, now) && !needed.has(key.id))
  for (const key of ended.slice(0, -MAX_ENDED)) {
    noteSpent(rows, { keyId: key.madeBy }, spentBy(rows, key.id, now), now)
    rows.keys.remove(key.id)
    rows.forgetUseOf(key.id)
  }
}

/** D1 knows the origins of all accounts, because the preflight of a browser has no key. */
const keepOrigins = (rows: AccountRows, now: number): void => {
  const origins = [...new Set(liveKeys(rows, now).flatMap((key) => key.origins))].sort()
  if (origins.join() === (rows.account.origins ?? []).join()) return
  rows.account.origins = origins
  changeLists(rows.sql, { kind: 'account' }, now)
}

const shown = (rows: AccountRows, key: ApiKey, now: number): ShownKey => {
  const { hash: _, madeBy: __, revokedAt: ___, ...terms } = key
  const held = heldBy(rows.readOpenJobs(), key.id)
  return { ...terms, spentThisMonth: spentBy(rows, key.id, now), held, lastUsedAt: rows.lastUseOf(key.id) }
}
