import { accepted, type Result, refused } from '../../../domain/codes/refusals.ts'
import { MAX_OLD_SECRETS, OLD_SECRET_MS } from '../../../domain/webhooks/retry-schedule.ts'
import { requestAct } from '../requests/authenticated-request.ts'

export interface SecretSeed {
  seed: string
  createdAt: number
  /** null: it is the current one. */
  expiresAt: number | null
}

export const liveSeeds = (sql: SqlStorage, now: number): SecretSeed[] => {
  const seeds = selectLive(sql, now)
  return seeds.length > 0 ? seeds : [addSeed(sql, now)]
}

export const webhookSecrets = requestAct(({ rows, now }) => accepted(liveSeeds(rows.sql, now)))

/**
 * Receivers can switch without an interruption, because the old secret still signs. A repeated call with `seed` changes
 * nothing.
 */
export const rotateWebhookSecret = requestAct(
  ({ rows: { sql }, endpoint, now }, seed?: string): Result<SecretSeed[]> => {
    const live = liveSeeds(sql, now)
    if (live[0]?.seed === seed) return accepted(live)
    const oldest = live.at(-1)?.expiresAt
    if (live.length > MAX_OLD_SECRETS && oldest) return tooSoon(oldest, endpoint, now)
    sql.exec('DELETE FROM webhook_secrets WHERE expires_at <= ?', now)
    sql.exec('UPDATE webhook_secrets SET expires_at = ? WHERE expires_at IS NULL', now + OLD_SECRET_MS)
    addSeed(sql, now, seed)
    return accepted(selectLive(sql, now))
  },
)

/** Each live secret adds a signature to the header of every webhook, so their number is limited. */
const tooSoon = (freeAt: number, endpoint: string, now: number): Result<never> => {
  const reset = Math.ceil(freeAt / 1000)
  const retryAfter = Math.max(1, reset - Math.floor(now / 1000))
  const message = `The secret can be rotated ${MAX_OLD_SECRETS} times in 24 hours.`
  return refused('RATE_LIMITED', { limit: MAX_OLD_SECRETS, remaining: 0, reset, retryAfter, endpoint }, message)
}

const addSeed = (sql: SqlStorage, now: number, seed: string = crypto.randomUUID()): SecretSeed => {
  sql.exec('INSERT INTO webhook_secrets (seed, created_at) VALUES (?, ?)', seed, now)
  return { seed, createdAt: now, expiresAt: null }
}

const selectLive = (sql: SqlStorage, now: number): SecretSeed[] =>
  sql
    .exec<{ seed: string; created_at: number; expires_at: number | null }>(
      `SELECT seed, created_at, expires_at FROM webhook_secrets
        WHERE expires_at IS NULL OR expires_at > ? ORDER BY expires_at IS NOT NULL, expires_at DESC`,
      now,
    )
    .toArray()
    .map((row) => ({ seed: row.seed, createdAt: row.created_at, expiresAt: row.expires_at }))
