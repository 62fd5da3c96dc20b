import { accepted, type Result } from '../../../domain/codes/refusals.ts'
import { MAX_OLD_SECRETS, OLD_SECRET_MS } from '../../../domain/webhooks/retry-schedule.ts'
import { requestAct } from '../requests/authenticated-request.ts'
import { rateLimited } from '../requests/limits.ts'

export type SecretSeed = {
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

/** The old secret still signs for a day, so that receivers can switch. A repeated call with `seed` changes nothing. */
export const rotateWebhookSecret = requestAct(
  ({ rows: { sql }, endpoint, now }, seed?: string): Result<SecretSeed[]> => {
    const live = liveSeeds(sql, now)
    if (live[0]?.seed === seed) return accepted(live)
    const oldest = live.at(-1)?.expiresAt
    // Each live secret adds a signature to the header of every webhook.
    if (live.length > MAX_OLD_SECRETS && oldest) {
      const message = `The secret can be rotated ${MAX_OLD_SECRETS} times in 24 hours.`
      return rateLimited({ limit: MAX_OLD_SECRETS, reset: Math.ceil(oldest / 1000) }, endpoint, now, message)
    }
    sql.exec('DELETE FROM webhook_secrets WHERE expires_at <= ?', now)
    sql.exec('UPDATE webhook_secrets SET expires_at = ? WHERE expires_at IS NULL', now + OLD_SECRET_MS)
    addSeed(sql, now, seed)
    return accepted(selectLive(sql, now))
  },
)

const addSeed = (sql: SqlStorage, now: number, seed: string = crypto.randomUUID()): SecretSeed => {
  sql.exec('INSERT INTO webhook_secrets (seed, created_at) VALUES (?, ?)', seed, now)
  return { seed, createdAt: now, expiresAt: null }
}

const selectLive = (sql: SqlStorage, now: number): SecretSeed[] =>
  sql
    .exec<SecretSeed>(
      `SELECT seed, created_at AS createdAt, expires_at AS expiresAt FROM webhook_secrets
        WHERE expires_at IS NULL OR expires_at > ? ORDER BY expires_at IS NOT NULL, expires_at DESC`,
      now,
    )
    .toArray()
