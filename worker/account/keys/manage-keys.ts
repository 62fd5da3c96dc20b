import { MAX_KEYS } from '../../../domain/account/keys.ts'
import { accepted, type Result, refused } from '../../../domain/codes/refusals.ts'
import type { Micros } from '../../../domain/money/money.ts'
import type { AccountRows } from '../account-rows.ts'
import { changeLists } from '../due/due-rows.ts'
import { readRequestAct, requestAct } from '../requests/authenticated-request.ts'
import { endPausesOf, pauseWatchesOf } from '../watches/pauses.ts'
import { forgetSpending, heldBy, spentBy } from './budgets.ts'
import { type ApiKey, isLimited, isLive } from './key-rows.ts'

/** Only full keys come here: see http/routes/keys.ts. */
export interface ShownKey extends Omit<ApiKey, 'hash' | 'revokedAt'> {
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

export const createKey = requestAct(({ rows, now }, given: NewKey): Result<ShownKey> => {
  const known = rows.keys.find(given.id)
  if (known) return accepted(shown(rows, known, now))
  forgetEnded(rows, now)
  if (rows.keys.all().length >= MAX_KEYS) {
    const message = `An account can have ${MAX_KEYS} keys, with those that were removed and have open jobs. Remove one first.`
    return refused('TOO_MANY_KEYS', { limit: MAX_KEYS }, message)
  }
  const key = { ...given, createdAt: now, revokedAt: null }
  rows.keys.save(key)
  keepOrigins(rows, now)
  return accepted(shown(rows, key, now))
})

export const readKeys = readRequestAct(({ rows, now }) =>
  accepted(liveKeys(rows, now).map((key) => shown(rows, key, now))),
)

export const changeKey = requestAct(({ rows, now }, id: string, changes: KeyChanges): Result<ShownKey> => {
  const key = rows.keys.find(id)
  if (!key || !isLive(key, now)) return keyNotFound()
  const terms = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  const changed: ApiKey = { ...key, ...terms }
  if (isLimited(changed) && isLastFullKey(rows, key, now)) return lastKey()
  rows.keys.save(changed)
  endPausesOf(rows, 'KEY_BUDGET_EXCEEDED', now, key.id)
  keepOrigins(rows, now)
  return accepted(shown(rows, changed, now))
})

/** A key that was removed before is gone, as the request wants: the first answer may have been lost. */
export const removeKey = requestAct(({ rows, now }, id: string): Result<null> => {
  const key = rows.keys.find(id)
  if (!key) return keyNotFound()
  if (key.revokedAt !== null) return accepted(null)
  if (isLastFullKey(rows, key, now)) return lastKey()
  endKey(rows, key, now)
  return accepted(null)
})

export const endKey = (rows: AccountRows, key: ApiKey, now: number): void => {
  rows.keys.save({ ...key, revokedAt: now })
  pauseWatchesOf(rows, key.id, now)
  keepOrigins(rows, now)
}

const liveKeys = ({ keys }: AccountRows, now: number): ApiKey[] => keys.all().filter((key) => isLive(key, now))

const keyNotFound = (): Result<never> => refused('NOT_FOUND', {}, 'There is no key with this id.')
const lastKey = (): Result<never> => refused('LAST_KEY')

/** Without it, nobody but an operator could make or change keys. */
const isLastFullKey = (rows: AccountRows, key: ApiKey, now: number): boolean =>
  !isLimited(key) && liveKeys(rows, now).every((other) => other.id === key.id || isLimited(other))

/** A key that has ended is kept, and counts against MAX_KEYS, while its work is open: the work goes on under its budget. */
const forgetEnded = (rows: AccountRows, now: number): void => {
  const atWork = new Set([...rows.account.openBatches, ...rows.openJobs()].map(({ keyId }) => keyId))
  for (const key of rows.keys.all()) {
    if (isLive(key, now) || atWork.has(key.id)) continue
    rows.keys.remove(key.id)
    rows.use.forgetUseOf(key.id)
    forgetSpending(rows, key.id)
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
  const { hash: _, revokedAt: __, ...terms } = key
  const held = heldBy(rows.openJobs(), key.id)
  return { ...terms, spentThisMonth: spentBy(rows, key.id, now), held, lastUsedAt: rows.use.lastUseOf(key.id) }
}
