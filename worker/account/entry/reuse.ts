import { accepted, type Result } from '../../../domain/codes/refusals.ts'
import { newId } from '../../../domain/ids.ts'
import type { JobKind } from '../../../domain/jobs/job.ts'
import { JOB_DEADLINE_MS } from '../../../domain/limits.ts'
import { firstRow } from '../../sqlite.ts'
import type { AccountRows } from '../account-rows.ts'
import type { ReuseRequest, Started } from '../calls.ts'
import { onlyOf } from '../keys/permissions.ts'
import { addEventDelivery } from '../webhooks/attempts-and-retries.ts'
import { ifAnswered, requestAct } from './authenticated-request.ts'
import { idempotencyOf, saveIdempotency } from './idempotency.ts'
import { checkSuspension } from './shared-refusals.ts'

/**
 * A start may be answered with an earlier job of the same request. Each job's row has a hash of its request, so that
 * other rows need not be parsed. There is no index of it: an index would cost each job a row, and only starts that ask for
 * reuse search. They read the jobs back to the age that they allow.
 */

/** The job that answers a start without a new one, which holds and charges nothing. null: there is none. */
export const reuse = requestAct(
  ({ rows, key, now }, request: ReuseRequest): Result<Started | null> => {
    const { kind, reuseKey, webhookUrl, withinMs, idempotency } = request
    const suspension = checkSuspension(rows)
    if (!suspension.ok) return suspension
    const jobId = findReusableJob(rows, { kind, reuseKey, withinMs, onlyOf: onlyOf(key) }, now)
    if (jobId === null) return accepted(null)
    const started = { jobId, isReused: true }
    tellOfReuse(rows, { jobId, kind, webhookUrl }, now)
    if (idempotency) saveIdempotency(rows.sql, idempotencyOf(key, idempotency), started, now)
    return accepted(started)
  },
  { counts: ifAnswered },
)

interface Reusable {
  kind: JobKind
  reuseKey: string
  withinMs: number
  /** The key, if only jobs that it has started may be found. */
  onlyOf: string | null
}

/** The newest completed job of the same request that is young enough and whose result is still stored. Transcripts do not expire. */
export const findReusableJob = (
  { sql }: AccountRows,
  { kind, reuseKey, withinMs, onlyOf }: Reusable,
  now: number,
): string | null => {
  if (withinMs <= 0) return null
  const completedFrom = now - withinMs
  // The ID has the time of the start, which may be earlier by the time that a job may take.
  const fromId = newId(kind, Math.max(0, completedFrom - JOB_DEADLINE_MS))
  const found = firstRow<{ id: string }>(
    sql,
    `SELECT id FROM jobs
      WHERE id >= ?1 AND id < ?2 AND reuse_key = ?3 AND state = 'completed' AND removed_at IS NULL AND completed_at > ?4
        AND coalesce(result ->> 'expiresAt', ?5 + 1) > ?5 AND (?6 IS NULL OR key_id = ?6)
      ORDER BY id DESC LIMIT 1`,
    fromId.slice(0, TIME_CHARACTERS),
    newId(kind, now + 1),
    reuseKey,
    completedFrom,
    now,
    onlyOf,
  )
  return found?.id ?? null
}

/** The webhook of a start that was answered with an earlier job. The end of that job was an event before. */
export const tellOfReuse = (
  rows: AccountRows,
  { kind, jobId, webhookUrl }: { kind: JobKind; jobId: string; webhookUrl: string | null },
  now: number,
): void => {
  if (webhookUrl === null) return
  const number = rows.events.nextNumber(now)
  addEventDelivery(rows, { number, type: `${kind}.completed`, subjectId: jobId }, webhookUrl, now)
}

/** A prefix, and the part of a ULID that is a time. */
const TIME_CHARACTERS = 'imp_'.length + 10
