/** docs/decisions/0073 says which requests need which of them. */
export const scopes = ['read', 'import', 'transcribe', 'manage'] as const
export type Scope = (typeof scopes)[number]

/** All scopes, and no budget, expiry or origins. */
export const FULL_KEY = 'full key'
export type Need = Scope | typeof FULL_KEY

/** Of an account, with those that operators made. */
export const MAX_KEYS = 50
export const MAX_ORIGINS = 10

/** A month of UTC, such as `2026-11`. */
export const monthOf = (ms: number): string => new Date(ms).toISOString().slice(0, 7)

export const nextMonthAt = (ms: number): number => {
  const day = new Date(ms)
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1)
}
