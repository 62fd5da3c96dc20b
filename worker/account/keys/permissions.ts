import { type Result, refused } from '../../../domain/codes/refusals.ts'
import { FULL_KEY, type Need, type Scope } from '../../../domain/keys.ts'
import { type ApiKey, isLimited } from './key-rows.ts'

/** A job, a batch or an upload. */
interface Made {
  keyId?: string | null | undefined
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
