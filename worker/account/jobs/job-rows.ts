import {
  type BatchPosition,
  type ImportRequest,
  isTerminal,
  type Job,
  type JobKind,
  type Step,
  type TranscribeRequest,
} from '../../../domain/jobs/job.ts'
import { type JobMetadata, metadataField } from '../../../domain/jobs/job-metadata.ts'
import { type Micros, micros } from '../../../domain/money/money.ts'
import { defaultPrices, type Prices } from '../../../domain/money/prices.ts'
import type { ReadBy } from '../../../domain/protocol/protocol.ts'
import { type Field, type FieldsOf, firstRow, jsonOr, plain, Table } from '../../sqlite.ts'

/** An object in R2 that the job has started to write. It is noted before its first byte. */
export interface WrittenObject {
  key: string
  /** null: it is written by one request. */
  uploadId: string | null
  /** Discarded at the end of the job, and not when its attempt fails. */
  isKept: boolean
}

/** What operators want to know of a job. It is part of the job's row and is written only when the row is. */
export interface Measured {
  /** When the attempt that runs was claimed. */
  claimedAt: number | null
  /** How long ended attempts took. */
  stepMs: Partial<Record<Step, number>>
  /** Downloaded from the source by ended attempts. */
  bytesIn: number
  /** What of it attempts took that had no result by a fault of the service. */
  lost: { engineMs: number; bytes: number }
  /** Among the ended jobs of the account. null: the job is live, or it ended before ends were counted. */
  endNumber: number | null
  /** The request that started the job. */
  requestId: string | null
  /** What has read the source of a failed job. Absent: it is not known. */
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
  /** When the message of the step is sent, and again until it is claimed. null: the step runs, or the job has ended. */
  stepDueAt: number | null
  /** The disk space that the source's announcement or an attempt says that the step needs. null: not known. */
  diskBytes: number | null
  objects: WrittenObject[]
  measured: Measured
  /** null: the job was started before jobs could be reused. */
  reuseKey: string | null
  /** The numbers of its events: see events/. null: it has not started or ended, or did so before events had numbers. */
  startedEvent: number | null
  endedEvent: number | null
}

const parsed = (text: SqlStorageValue | undefined): object | null => (text == null ? null : JSON.parse(`${text}`))

/** Jobs that were started before these fields existed do not have them. An earlier transcript may have speakers. */
const laterFields = {
  request: {
    import: { clip: null, audioFormat: 'source' },
    transcription: { importId: null, uploadId: null, clip: null, words: false, speakers: null },
  },
  result: {
    import: {},
    transcription: { title: null, chapters: [], hasWords: false, hasSpeakers: true, plainBytes: null },
  },
} as const satisfies Record<string, Record<JobKind, object>>

/** The kind of a job determines the type of the value. */
const byKind = <Name extends keyof typeof laterFields>(column: Name): Field<JobRow[Name]> => ({
  columns: [column],
  read: ({ kind, [column]: text }) => {
    const value = parsed(text)
    return (value && { ...laterFields[column][kind as JobKind], ...value }) as JobRow[Name]
  },
  write: (value) => ({ [column]: value && JSON.stringify(value) }),
})

/** What the account keeps of a job for itself. */
const keptFields: FieldsOf<KeptOfJob> = {
  lease: plain('lease'),
  leaseUntil: plain('lease_until'),
  held: plain('held_micros'),
  stepDueAt: plain('step_due_at'),
  diskBytes: plain('disk_bytes'),
  objects: jsonOr<WrittenObject[]>([], 'uploads'),
  measured: jsonOr(nothingMeasured, 'measured'),
  reuseKey: plain('reuse_key'),
  startedEvent: plain('started_event'),
  endedEvent: plain('ended_event'),
}

export const jobTable = new Table<JobRow>('jobs', {
  id: plain('id'),
  kind: plain('kind'),
  state: plain('state'),
  origin: plain('origin'),
  request: byKind('request'),
  createdAt: plain('created_at'),
  startedAt: plain('started_at'),
  completedAt: plain('completed_at'),
  removedAt: plain('removed_at'),
  step: plain('step'),
  attempts: plain('attempts'),
  leaseNumber: plain('lease_number'),
  carry: jsonOr<JobRow['carry']>(null, 'carry'),
  result: byKind('result'),
  failure: jsonOr<JobRow['failure']>(null, 'failure'),
  progress: { columns: [], read: () => null, write: () => ({}) },
  prices: jsonOr(defaultPrices, 'prices'),
  keyId: plain('key_id'),
  ...keptFields,
  batch: {
    columns: ['batch_id', 'batch_item'],
    read: ({ batch_id: id, batch_item: index }) => (id === null ? undefined : ({ id, index } as BatchPosition)),
    write: (batch) => ({ batch_id: batch?.id ?? null, batch_item: batch?.index ?? null }),
  },
  metadata: {
    columns: ['metadata'],
    read: ({ metadata }) => (parsed(metadata) ?? undefined) as JobMetadata | undefined,
    write: (metadata) => ({ metadata: metadata ? JSON.stringify(metadata) : null }),
  },
} as FieldsOf<JobRow>)

/** The job as it was saved last. Acts that change jobs find them in AccountRows. */
export const readJob = (sql: SqlStorage, jobId: string): JobRow | null => jobTable.first(sql, 'WHERE id = ?', jobId)

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
  prices: Prices
  /** The key that starts it. */
  keyId: string | null
  metadata: JobMetadata | undefined
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
  prices,
  keyId,
  metadata,
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
    prices,
    keyId,
    held: micros(0),
    stepDueAt: now,
    diskBytes,
    objects: [],
    measured: requestId === null ? nothingMeasured : { ...nothingMeasured, requestId },
    reuseKey,
    startedEvent: null,
    endedEvent: null,
    ...(batch && { batch }),
    ...metadataField(metadata),
  }) as JobRow

export const isLive = ({ state }: Pick<Job, 'state'>): boolean => !isTerminal(state)

/** Ends the lease. The message of the step is sent at `dueAt`. */
export const clearLease = (job: JobRow, dueAt: number | null): void => {
  job.lease = null
  job.leaseUntil = null
  job.stepDueAt = dueAt
}

/** The job as it is sent to others: without its lease, which is the credential of the step that runs. */
export const withoutJobLease = (job: JobRow): Job =>
  Object.fromEntries(Object.entries(job).filter(([name]) => !(name in keptFields))) as unknown as Job

const unseenColumns = new Set(Object.values(keptFields).flatMap(({ columns }) => columns))

/** Whether callers see the column. They do see the end of a lease, because its progress ends with it. */
export const isSeen = (column: string): boolean => column === 'lease' || !unseenColumns.has(column)

/**
 * The provider key that a caller sent with a job or a batch. It is stored sealed, returned only under a job's lease, and
 * deleted in the transaction that ends what it was sent with. `id`: of the job, or of the batch for all of its items.
 */
export const keepSealedKey = (sql: SqlStorage, id: string, sealed: string): void => {
  sql.exec('INSERT INTO sealed_keys (job_id, sealed) VALUES (?, ?)', id, sealed)
}

export const sealedKeyOf = (sql: SqlStorage, id: string): string | null =>
  firstRow<{ sealed: string }>(sql, 'SELECT sealed FROM sealed_keys WHERE job_id = ?', id)?.sealed ?? null

export const deleteSealedKey = (sql: SqlStorage, id: string): void => {
  sql.exec('DELETE FROM sealed_keys WHERE job_id = ?', id)
}
