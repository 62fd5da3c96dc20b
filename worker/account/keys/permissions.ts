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

/** Requests about anything else are answered as if it did not exist. */
export const maySee = (key: ApiKey, made: Made): boolean => mayUse(key, 'read') || isOwn(key, made)

/** The id of a key that sees only what it has made itself. null: it sees what all keys have made. */
export const onlyOf = (key: ApiKey): string | null => (mayUse(key, 'read') ? null : key.id)

/** Stopping what another key has started needs `manage`. */
export const mayStop = (key: ApiKey, made: Made): boolean => isOwn(key, made) || mayUse(key, 'manage')

/** Says what the key may do too: one with neither `read` nor `manage` cannot ask. */
export const scopeMissing = (key: ApiKey, ...needed: readonly Scope[]): Result<never> => {
  const scope = needed.join(' or ')
  const facts = { scope, keyScopes: key.scopes.join(', ') }
  return refused('SCOPE_MISSING', facts, `This request needs a key with the scope ${scope}.`)
}
