import { type Result, refused } from '../../../domain/codes/refusals.ts'
import type { Scope } from '../../../domain/keys.ts'
import type { ApiKey } from './key-rows.ts'

/** What a key has made: a job, a batch, an upload. null: it was made before keys were noted. */
interface Made {
  keyId?: string | null | undefined
}

export const mayUse = ({ scopes }: ApiKey, ...needed: readonly Scope[]): boolean =>
  needed.some((scope) => scopes.includes(scope))

export const isOwn = (key: ApiKey, { keyId }: Made): boolean => keyId === key.id && mayUse(key, 'import', 'transcribe')

/** What a key does not see does not exist for it. */
export const maySee = (key: ApiKey, made: Made): boolean => mayUse(key, 'read') || isOwn(key, made)

/** The key sees only what it has made itself. */
export const seesOnlyOwn = (key: ApiKey): boolean => !mayUse(key, 'read')

/** A key stops what it has started. All else is managing. */
export const mayStop = (key: ApiKey, made: Made): boolean => isOwn(key, made) || mayUse(key, 'manage')

/** Says what the key may do too: one with neither `read` nor `manage` cannot ask. */
export const scopeMissing = (key: ApiKey, ...needed: readonly Scope[]): Result<never> => {
  const scope = needed.join(' or ')
  const facts = { scope, keyScopes: key.scopes.join(', ') }
  return refused('SCOPE_MISSING', facts, `This request needs a key with the scope ${scope}.`)
}
