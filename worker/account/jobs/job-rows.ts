import {
  type BatchPosition,
  type ImportRequest,
  isTerminal,
  type Job,
  type JobKind,
  type JobState,
  type Step,
  type TranscribeRequest,
} from '../../../domain/jobs/job.ts'
import { type Micros, micros } from '../../../domain/money/money.ts'
import { firstRow } from '../sqlite.ts'

/** An object in R2 that the job has started to write. It is noted before its first byte. */
export interface StoredUpload {
  key: string
  uploadId: string | null
  /** Discarded at the end of the job, and not when its attempt fails. */
  isKept: boolean
}

/** What operators want to know of a job. It is part of the job's row and is written only when the row is. */
export interface Measured {
  /** When the attempt that runs was claimed. */
  claimedAt: number | null
  /** Of ended attempts. */
  stepMs: Partial<Record<Step, number>>
  /** Downloaded from the source by ended attempts. */
  bytesIn: number
  /** Among the ended jobs of the account. null: the job is live, or it ended before ends were counted. */
  endNumber: number | null
  /** The request that started the job. */
  requestId: string | null
}

export const nothingMeasured: Measured = {
  claimedAt: null,
  stepMs: {},
  bytesIn: 0,
  endNumber: null,
  requestId: null,
}

/** A job with all that the account keeps for it. `progress` is null, because it is kept in memory. */
export type JobRow = Job & {
  lease: string | null
  leaseUntil: number | null
  /** null: the job has ended. */
  held: Micros | null
  /** When the message of the step is sent, and again until it is claimed. null: the step runs, or the job has ended. */
  stepDueAt: number | null
  /** The disk space that the source's announcement or an attempt says that the step needs. null: not known. */
  diskBytes: number | null
  /** Whether D1 has a row of the job. */
  isRecorded: boolean
  uploads: StoredUpload[]
  measured: Measured
  /** null: the job was started before jobs could be reused. */
  reuseKey: string | null
  /** The numbers of its events: see events/. null: it has not started or ended, or did so before events had numbers. */
  startedEvent: number | null
  endedEvent: number | null
}

export type JobColumns = {
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
  held_micros: number | null
  step_due_at: number | null
  disk_bytes: number | null
  recorded: number
  uploads: string | null
  measured: string | null
  origin: string | null
  reuse_key: string | null
  batch_id: string | null
  batch_item: number | null
  started_event: number | null
  ended_event: number | null
}

/** The job as it was saved last. Acts that change jobs find them in AccountRows. */
export const readJob = (sql: SqlStorage, jobId: string): JobRow | null => {
  const columns = readColumns(sql, jobId)
  return columns && toJobRow(columns)
}

export const readColumns = (sql: SqlStorage, jobId: string): JobColumns | null =>
  firstRow<JobColumns>(sql, 'SELECT * FROM jobs WHERE id = ?', jobId) ?? null

export const insertJob = (sql: SqlStorage, columns: JobColumns): void => {
  const names = Object.keys(columns)
  const values = names.map(() => '?').join(', ')
  sql.exec(`INSERT INTO jobs (${names.join(', ')}) VALUES (${values})`, ...Object.values(columns))
}

export const updateJob = (sql: SqlStorage, jobId: string, columns: JobColumns, changed: (keyof JobColumns)[]): void => {
  const set = changed.map((name) => `${name} = ?`).join(', ')
  sql.exec(`UPDATE jobs SET ${set} WHERE id = ?`, ...changed.map((name) => columns[name]), jobId)
}

export interface NewJob {
  id: string
  kind: JobKind
  request: ImportRequest | TranscribeRequest
  step: Step
  origin: string | null
  diskBytes: number | null
  requestId: string | null
  reuseKey: string
  batch: BatchPosition | null
  now: number
}

/** A queued job whose first step is due. */
export const newJob = ({
  id,
  kind,
  request,
  step,
  origin,
  diskBytes,
  requestId,
  reuseKey,
  batch,
  now,
}: NewJob): JobRow =>
  ({
    id,
    kind,
    state: 'queued',
    origin,
    request,
    createdAt: now,
    startedAt: null,
    completedAt: null,
    removedAt: null,
    step,
    attempts: 0,
    leaseNumber: 0,
    lease: null,
    leaseUntil: null,
    carry: null,
    result: null,
    failure: null,
    progress: null,
    held: micros(0),
    stepDueAt: now,
    diskBytes,
    isRecorded: false,
    uploads: [],
    measured: requestId === null ? nothingMeasured : { ...nothingMeasured, requestId },
    reuseKey,
    startedEvent: null,
    endedEvent: null,
    ...(batch && { batch }),
  }) as JobRow

export const isLive = ({ state }: Pick<Job, 'state'>): boolean => !isTerminal(state)

/** Ends the lease. The message of the step is sent at `dueAt`. */
export const clearLease = (job: JobRow, dueAt: number | null): void => {
  job.lease = null
  job.leaseUntil = null
  job.stepDueAt = dueAt
}

/** The job as it is sent to others: without its lease, which is the credential of the step that runs. */
export const withoutJobLease = ({
  lease: _lease,
  leaseUntil: _leaseUntil,
  held: _held,
  stepDueAt: _stepDueAt,
  diskBytes: _diskBytes,
  isRecorded: _isRecorded,
  uploads: _uploads,
  measured: _measured,
  reuseKey: _reuseKey,
  startedEvent: _startedEvent,
  endedEvent: _endedEvent,
  ...job
}: JobRow): Job => job

/** Columns that callers do not see. They do see the end of a lease, because its progress ends with it. */
const unseen = new Set<keyof JobColumns>([
  'lease_until',
  'held_micros',
  'step_due_at',
  'disk_bytes',
  'recorded',
  'uploads',
  'measured',
  'reuse_key',
  'started_event',
  'ended_event',
])

export const isSeen = (column: keyof JobColumns): boolean => !unseen.has(column)

const parsed = (text: string | null): unknown => (text === null ? null : JSON.parse(text))
const text = (value: object | null): string | null => (value === null ? null : JSON.stringify(value))

/** Jobs that were started before these fields existed do not have them. */
const laterRequestFields = {
  import: { clip: null, audioFormat: 'source' },
  transcription: { importId: null, uploadId: null, clip: null, words: false, speakers: null },
} as const satisfies Record<JobKind, object>

/** An earlier transcript may have speakers. */
const laterResultFields = {
  import: {},
  transcription: { title: null, chapters: [], hasWords: false, hasSpeakers: true, plainBytes: null },
} as const satisfies Record<JobKind, object>

const parsedResult = (kind: JobKind, text: string | null): object | null =>
  text === null ? null : { ...laterResultFields[kind], ...JSON.parse(text) }

/** The columns were written from a Job, so `kind` determines the types of request, carry and result. */
export const toJobRow = (row: JobColumns): JobRow =>
  ({
    id: row.id,
    kind: row.kind,
    state: row.state,
    origin: row.origin,
    request: { ...laterRequestFields[row.kind], ...JSON.parse(row.request) },
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
    result: parsedResult(row.kind, row.result),
    failure: parsed(row.failure),
    progress: null,
    held: row.held_micros,
    stepDueAt: row.step_due_at,
    diskBytes: row.disk_bytes,
    isRecorded: row.recorded === 1,
    uploads: parsed(row.uploads) ?? [],
    measured: parsed(row.measured) ?? nothingMeasured,
    reuseKey: row.reuse_key,
    startedEvent: row.started_event,
    endedEvent: row.ended_event,
    ...(row.batch_id !== null && { batch: { id: row.batch_id, index: row.batch_item } }),
  }) as JobRow

export const toColumns = (job: JobRow): JobColumns => ({
  id: job.id,
  kind: job.kind,
  state: job.state,
  request: JSON.stringify(job.request),
  created_at: job.createdAt,
  started_at: job.startedAt,
  completed_at: job.completedAt,
  removed_at: job.removedAt,
  step: job.step,
  attempts: job.attempts,
  lease_number: job.leaseNumber,
  lease: job.lease,
  lease_until: job.leaseUntil,
  carry: text(job.carry),
  result: text(job.result),
  failure: text(job.failure),
  held_micros: job.held,
  step_due_at: job.stepDueAt,
  disk_bytes: job.diskBytes,
  recorded: job.isRecorded ? 1 : 0,
  uploads: job.uploads.length === 0 ? null : JSON.stringify(job.uploads),
  measured: job.measured === nothingMeasured ? null : JSON.stringify(job.measured),
  origin: job.origin,
  reuse_key: job.reuseKey,
  batch_id: job.batch?.id ?? null,
  batch_item: job.batch?.index ?? null,
  started_event: job.startedEvent,
  ended_event: job.endedEvent,
})

/**
 * The provider key that a caller sent with a job or a batch. It is stored sealed, returned only under a job's lease, and
 * deleted in the transaction that ends what it was sent with. `id`: of the job, or of the batch for all of its items.
 */
export const keepSealedKey = (sql: SqlStorage, id: string, sealed: string): void => {
  sql.exec('INSERT INTO sealed_keys VALUES (?, ?)', id, sealed)
}

export const sealedKeyOf = (sql: SqlStorage, id: string): string | null =>
  firstRow<{ sealed: string }>(sql, 'SELECT sealed FROM sealed_keys WHERE job_id = ?', id)?.sealed ?? null

export const deleteSealedKey = (sql: SqlStorage, id: string): void => {
  sql.exec('DELETE FROM sealed_keys WHERE job_id = ?', id)
}
