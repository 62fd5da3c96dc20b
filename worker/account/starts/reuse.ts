import { newId } from '../../../domain/ids.ts'
import type { JobKind } from '../../../domain/jobs/job.ts'
import { JOB_DEADLINE_MS } from '../../../domain/limits.ts'
import { firstValue } from '../../sqlite.ts'
import type { AccountRows } from '../account-rows.ts'
import type { StartToOpen } from '../calls.ts'
import { type ApiKey, onlyOf } from '../keys/key-rows.ts'
import { addEventDelivery } from '../webhooks/attempts-and-retries.ts'

/**
 * A start may be answered with an earlier job of the same request. There is no index of their hashes: it would cost
 * each job a row, and only starts that ask for reuse search, back to the age that they allow.
 */

/** The newest completed job whose result is still stored, and has no file that failed. Transcripts do not expire. */
export const findReusableJob = (
  { sql }: AccountRows,
  /** null: it has ended, and what it started goes on. */
  key: ApiKey | null,
  { kind, reuseKey, withinMs }: NonNullable<StartToOpen['reuse']> & { kind: JobKind },
  now: number,
): string | null => {
  if (withinMs <= 0) return null
  const completedFrom = now - withinMs
  // The ID has the time of the start, which may be earlier by the time that a job may take.
  const fromId = newId(kind, Math.max(0, completedFrom - JOB_DEADLINE_MS))
  return firstValue(
    sql,
    `SELECT id FROM jobs
      WHERE id >= ?1 AND id < ?2 AND reuse_key = ?3 AND state = 'completed' AND removed_at IS NULL AND completed_at > ?4
        AND NOT EXISTS (SELECT 1 FROM json_each(coalesce(parts, '[]')) WHERE value ->> 'state' = 'failed')
        AND coalesce(result ->> 'expiresAt', ?5 + 1) > ?5 AND (?6 IS NULL OR key_id = ?6)
      ORDER BY id DESC LIMIT 1`,
    fromId.slice(0, TIME_CHARACTERS),
    newId(kind, now + 1),
    reuseKey,
    completedFrom,
    now,
    key && onlyOf(key),
  )
}

/** Sends a webhook, but adds no event: the end of that job has been one. */
export const tellOfReuse = (
  rows: AccountRows,
  { kind, jobId, webhookUrl }: { kind: JobKind; jobId: string; webhookUrl: string | null },
  now: number,
): void => {
  if (webhookUrl === null) return
  addEventDelivery(rows, { id: newId('event', now), type: `${kind}.completed`, subjectId: jobId }, webhookUrl, now)
}

/** A prefix, and the part of a ULID that is a time. */
const TIME_CHARACTERS = 'imp_'.length + 10
