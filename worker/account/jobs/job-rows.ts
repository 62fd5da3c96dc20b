import { type BatchPosition, isOfSpeech, isTerminal, type Job } from '../../../domain/jobs/job.ts'
import { type JobMetadata, metadataField } from '../../../domain/jobs/job-metadata.ts'
import type { Part } from '../../../domain/jobs/parts.ts'
import type { Step } from '../../../domain/jobs/transcript.ts'
import { DELIVERY_MS, JOB_DEADLINE_MS } from '../../../domain/limits.ts'
import { type Micros, zero } from '../../../domain/money/money.ts'
import { defaultPrices } from '../../../domain/money/prices.ts'
import type { ReadBy } from '../../../domain/protocol/protocol.ts'
import { type Field, type FieldsOf, firstValue, json, jsonOr, plain, plains, Table } from '../../sqlite.ts'

/** An object in R2 that the job has started to write. It is noted before its first byte. */
export interface WrittenObject {
  key: string
  /** null: it is written by one request. */
  uploadId: string | null
  /** Discarded at the end of the job, and not when its attempt fails. */
  isKept: boolean
}

/** For operators. Written only when the row is. */
export interface Measured {
  claimedAt: number | null
  stepMs: Partial<Record<Step, number>>
  bytesIn: number
  /**
   * What of it does not count when the job ends without a charge: that of attempts without a result by a fault of the
   * service, and that of speech which has failed before. `speechMs`: of attempts at speech.
   */
  lost: { engineMs: number; bytes: number; speechMs?: number }
  /** Among the ended jobs of the account. null: the job is live. */
  endNumber: number | null
  requestId: string | null
  readBy?: ReadBy
}

export const nothingMeasured: Measured = {
  claimedAt: null,
  stepMs: {},
  bytesIn: 0,
  lost: { engineMs: 0, bytes: 0 },
  endNumber: null,
  requestId: null,
}

/** A job with all that the account keeps for it. `progress` is null, because it is kept in memory. */
export type JobRow = Job & KeptOfJob

interface KeptOfJob {
  lease: string | null
  leaseUntil: number | null
  /** null: the job has ended. */
  held: Micros | null
  diskBytes: number | null
  objects: WrittenObject[]
  measured: Measured
  reuseKey: string
}

const keptFields: FieldsOf<KeptOfJob> = {
  ...plains('lease', 'leaseUntil', 'diskBytes', 'reuseKey'),
  held: plain('held_micros'),
  objects: jsonOr<WrittenObject[]>([], 'uploads'),
  measured: jsonOr(nothingMeasured, 'measured'),
}

export const jobTable = new Table<JobRow>('jobs', {
  ...plains('id', 'kind', 'state', 'origin', 'createdAt', 'startedAt', 'completedAt', 'removedAt', 'step', 'keyId'),
  request: json('request') as Field<JobRow['request']>,
  usedAttempts: plain('attempts'),
  attempt: plain('lease_number'),
  carry: jsonOr<JobRow['carry']>(null, 'carry'),
  result: jsonOr<JobRow['result']>(null, 'result'),
  failure: jsonOr<JobRow['failure']>(null, 'failure'),
  progress: { columns: [], read: () => null, write: () => ({}) },
  prices: jsonOr(defaultPrices, 'prices'),
  ...keptFields,
  batch: {
    columns: ['batch_id', 'batch_item'],
    read: ({ batch_id: id, batch_item: index }) => (id === null ? undefined : ({ id, index } as BatchPosition)),
    write: (batch) => ({ batch_id: batch?.id ?? null, batch_item: batch?.index ?? null }),
  },
  metadata: jsonOr<JobMetadata | undefined>(undefined, 'metadata'),
  parts: jsonOr<Part[] | undefined>(undefined, 'parts'),
  bucketKey: jsonOr<string | undefined>(undefined, 'bucket_key'),
} as FieldsOf<JobRow>)

export const readJob = (sql: SqlStorage, jobId: string): JobRow | null => jobTable.first(sql, 'WHERE id = ?', jobId)

/** In the table `due` each has a row: see due/due-rows.ts. */
const OPEN = "id IN (SELECT ref FROM due WHERE ref >= 'imp_' AND ref < 'imp_~' OR ref >= 'trn_' AND ref < 'trn_~')"

export const openJobs = (sql: SqlStorage): JobRow[] => jobTable.select(sql, `WHERE ${OPEN} ORDER BY id`)

export const oldestLiveAt = (sql: SqlStorage): number | null =>
  firstValue(sql, `SELECT min(created_at) FROM jobs WHERE ${OPEN} AND state IN ('queued', 'running')`)

export type NewJob = Pick<Job, 'id' | 'kind' | 'request' | 'origin' | 'prices' | 'keyId'> &
  Pick<KeptOfJob, 'diskBytes' | 'reuseKey'> & {
    step: Step
    requestId: string | null
    batch: BatchPosition | null
    metadata: JobMetadata | undefined
    now: number
  }

/** A queued job whose first step is due. */
export const newJob = ({ requestId, batch, metadata, now, ...about }: NewJob): JobRow =>
  ({
    ...about,
    state: 'queued',
    createdAt: now,
    startedAt: null,
    completedAt: null,
    removedAt: null,
    usedAttempts: 0,
    attempt: 0,
    lease: null,
    leaseUntil: null,
    carry: null,
    result: null,
    failure: null,
    progress: null,
    held: zero,
    objects: [],
    measured: requestId === null ? nothingMeasured : { ...nothingMeasured, requestId },
    ...(batch && { batch }),
    ...metadataField(metadata),
  }) as JobRow

export const isLive = ({ state }: Pick<Job, 'state'>): boolean => !isTerminal(state)

/** The speech of an import ends earlier, so that its files can still be copied into a bucket. */
export const deadlineOf = ({ kind, step, createdAt }: Pick<Job, 'kind' | 'step' | 'createdAt'>): number =>
  createdAt + JOB_DEADLINE_MS - (kind === 'import' && isOfSpeech(step) ? DELIVERY_MS : 0)

export const limitOf = (job: JobRow): number => Math.min(job.leaseUntil ?? Number.POSITIVE_INFINITY, deadlineOf(job))

export const clearLease = (job: JobRow): void => {
  job.lease = null
  job.leaseUntil = null
}

/** The job as it is sent to others: without its lease, which is the credential of the step that runs. */
export const withoutJobLease = (job: JobRow): Job =>
  Object.fromEntries(Object.entries(job).filter(([name]) => !(name in keptFields))) as unknown as Job

const unseenColumns = new Set(Object.values(keptFields).flatMap(({ columns }) => columns))

/** Whether callers see the column. They do see the end of a lease, because its progress ends with it. */
export const isSeen = (column: string): boolean => column === 'lease' || !unseenColumns.has(column)

/**
 * The provider key of a caller. It is stored sealed, returned only under a job's lease, and deleted in the transaction
 * that ends the job, or the batch, that it was sent with.
 */
export const keepSealedKey = (sql: SqlStorage, id: string, sealed: string): void => {
  sql.exec('INSERT INTO sealed_keys (job_id, sealed) VALUES (?, ?)', id, sealed)
}

export const sealedKeyOf = (sql: SqlStorage, id: string): string | null =>
  firstValue(sql, 'SELECT sealed FROM sealed_keys WHERE job_id = ?', id)

export const deleteSealedKey = (sql: SqlStorage, id: string): void => {
  sql.exec('DELETE FROM sealed_keys WHERE job_id = ?', id)
}
