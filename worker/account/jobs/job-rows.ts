import type { Failure } from '../../../domain/codes/failures.ts'
import type {
  ImportRequest,
  ImportResult,
  Job,
  JobKind,
  JobState,
  Step,
  TranscribeRequest,
  TranscriptResult,
} from '../../../domain/jobs/job.ts'
import type { JobLease } from '../calls.ts'
import { firstRow } from '../sqlite.ts'

/** A job with its current lease. `progress` is null, because it is kept in memory. */
export type JobRow = Job & {
  lease: string | null
  leaseUntil: number | null
}

type Columns = {
  id: string
  kind: JobKind
  state: JobState
  request: string
  created_at: number
  started_at: number | null
  completed_at: number | null
  removed_at: number | null
  step: Step | null
  attempts: number
  lease_number: number
  lease: string | null
  lease_until: number | null
  carry: string | null
  result: string | null
  failure: string | null
}

export const findJob = (sql: SqlStorage, jobId: string): JobRow | null => {
  const row = firstRow<Columns>(sql, 'SELECT * FROM jobs WHERE id = ?', jobId)
  return row ? fromColumns(row) : null
}

export const countLive = (sql: SqlStorage, kind: JobKind): number =>
  sql
    .exec<{ live: number }>("SELECT count(*) AS live FROM jobs WHERE kind = ? AND state IN ('queued', 'running')", kind)
    .one().live

export interface NewJob {
  id: string
  kind: JobKind
  request: ImportRequest | TranscribeRequest
  step: Step
  now: number
}

export const addJob = (sql: SqlStorage, { id, kind, request, step, now }: NewJob): void => {
  sql.exec(
    "INSERT INTO jobs (id, kind, state, request, created_at, step) VALUES (?, ?, 'queued', ?, ?, ?)",
    id,
    kind,
    JSON.stringify(request),
    now,
    step,
  )
}

export const grantLease = (sql: SqlStorage, jobId: string, lease: string, until: number): void => {
  sql.exec(
    `UPDATE jobs SET lease = ?, lease_until = ?, attempts = attempts + 1, lease_number = lease_number + 1
      WHERE id = ?`,
    lease,
    until,
    jobId,
  )
}

export const renewLease = (sql: SqlStorage, jobId: string, until: number): void => {
  sql.exec('UPDATE jobs SET lease_until = ? WHERE id = ?', until, jobId)
}

export const clearLease = (sql: SqlStorage, jobId: string, attempts: number): void => {
  sql.exec('UPDATE jobs SET lease = NULL, lease_until = NULL, attempts = ? WHERE id = ?', attempts, jobId)
}

/** A report under a lease. Every report is checked against the current lease before it changes anything. */
export interface LeasedReport extends JobLease {
  now: number
}

/** null: the lease is lost, and the report changes nothing. */
export const findLeasedJob = (sql: SqlStorage, { jobId, lease, now }: LeasedReport): JobRow | null => {
  const job = findJob(sql, jobId)
  return job && job.lease === lease && (job.leaseUntil ?? 0) > now ? job : null
}

export const holdsLease = (sql: SqlStorage, report: LeasedReport): boolean => findLeasedJob(sql, report) !== null

/** The job as it is sent to others: without its lease, which is the credential of the step that runs. */
export const withoutJobLease = ({ lease: _, leaseUntil: __, ...job }: JobRow): Job => job

export const markRunning = (sql: SqlStorage, jobId: string, now: number): void => {
  sql.exec(
    "UPDATE jobs SET state = 'running', started_at = coalesce(started_at, ?) WHERE id = ? AND state = 'queued'",
    now,
    jobId,
  )
}

export const markRemoved = (sql: SqlStorage, jobId: string, now: number): void => {
  sql.exec('UPDATE jobs SET removed_at = ? WHERE id = ?', now, jobId)
}

/** The next step has its own attempts. Lease numbers continue, because object keys must not repeat within a job. */
export const moveTo = (sql: SqlStorage, jobId: string, step: Step, carry: Job['carry']): void => {
  sql.exec(
    'UPDATE jobs SET step = ?, carry = ?, attempts = 0, lease = NULL, lease_until = NULL WHERE id = ?',
    step,
    JSON.stringify(carry),
    jobId,
  )
}

export const keepCarry = (sql: SqlStorage, jobId: string, carry: Job['carry']): void => {
  sql.exec('UPDATE jobs SET carry = ? WHERE id = ?', JSON.stringify(carry), jobId)
}

export type Ending =
  | { state: 'completed'; result: ImportResult | TranscriptResult }
  | { state: 'failed'; failure: Failure }

export const endJob = (sql: SqlStorage, jobId: string, ending: Ending, now: number): void => {
  sql.exec(
    `UPDATE jobs SET state = ?, result = ?, failure = ?, completed_at = ?,
       step = NULL, carry = NULL, lease = NULL, lease_until = NULL WHERE id = ?`,
    ending.state,
    ending.state === 'completed' ? JSON.stringify(ending.result) : null,
    ending.state === 'failed' ? JSON.stringify(ending.failure) : null,
    now,
    jobId,
  )
}

const parsed = (text: string | null): unknown => (text === null ? null : JSON.parse(text))

/** The columns were written from a Job, so `kind` determines the types of request, carry and result. */
const fromColumns = (row: Columns): JobRow =>
  ({
    id: row.id,
    kind: row.kind,
    state: row.state,
    request: JSON.parse(row.request),
    createdAt: row.created_at,
    startedAt: row.started_at,
    completedAt: row.completed_at,
    removedAt: row.removed_at,
    step: row.step,
    attempts: row.attempts,
    leaseNumber: row.lease_number,
    lease: row.lease,
    leaseUntil: row.lease_until,
    carry: parsed(row.carry),
    result: parsed(row.result),
    failure: parsed(row.failure),
    progress: null,
  }) as JobRow

/**
 * The provider key that a caller sent with a job. It is stored sealed, returned only under the job's lease, and
 * deleted in the transaction that ends the job.
 */
export const keepSealedKey = (sql: SqlStorage, jobId: string, sealed: string): void => {
  sql.exec('INSERT INTO sealed_keys VALUES (?, ?)', jobId, sealed)
}

export const sealedKeyOf = (sql: SqlStorage, jobId: string): string | null =>
  firstRow<{ sealed: string }>(sql, 'SELECT sealed FROM sealed_keys WHERE job_id = ?', jobId)?.sealed ?? null

export const deleteSealedKey = (sql: SqlStorage, jobId: string): void => {
  sql.exec('DELETE FROM sealed_keys WHERE job_id = ?', jobId)
}
