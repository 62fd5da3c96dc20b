import type { LimitChanges, RateClass, RateState } from '../../domain/account/account-limits.ts'
import type { Need, Scope } from '../../domain/account/keys.ts'
import type { Batch, BatchSource, ItemRequest } from '../../domain/batches/batch.ts'
import type { Failure } from '../../domain/codes/failures.ts'
import type { Result } from '../../domain/codes/refusals.ts'
import type { AccountEventType } from '../../domain/events/event-types.ts'
import type { ImportRequest, Job, JobKind, JobRequest, StoredMedia, TranscribeRequest } from '../../domain/jobs/job.ts'
import type { JobMetadata } from '../../domain/jobs/job-metadata.ts'
import type { Micros } from '../../domain/money/money.ts'
import type { OwnPrices } from '../../domain/money/prices.ts'
import type {
  Chapter,
  LinkedFiles,
  MediaFacts,
  ReadBy,
  ReadCaptions,
  SourceAbout,
  StoredSource,
} from '../../domain/protocol/protocol.ts'

/** Arguments and results of the account object's RPC methods. */

export interface RequestIdentity {
  keyHash: string
  rateClass: RateClass
  endpoint: string
  /** The key needs one of these. None: any key will do. */
  needs: readonly Need[]
  alsoNeeds?: Scope | undefined
  /** The page that sends the request, if it is of another origin. null: it is no such page. */
  origin?: string | null
}

export interface PageRequest {
  before: string | null
  limit: number
}

export interface AccountAnswer<T> {
  rate: RateState
  result: Result<T>
  /** The page that sends the request may read the response. */
  allowsOrigin?: true
}

export interface Admission {
  /** Chosen by the caller of the account, so that a repeated call finds its job. Absent: by the account. */
  jobId?: string
  kind: JobKind
  request: ImportRequest | TranscribeRequest
  /** What the source announces. null: nothing, or more than can be stored. */
  announcedBytes: number | null
  /** The origin of the request. null: links and callbacks have PUBLIC_URL. */
  origin: string | null
  diskBytes: number | null
  idempotency: IdempotencyKey | null
  /** The provider key of the request, sealed. It is kept until the job or the batch ends. */
  sealedKey?: string | null
  /** It is in the log line of the ended job. */
  requestId?: string
  reuseKey: string
  /** Requests with the same one share a job: see starts/answers.ts. */
  joinKey?: string
  metadata?: JobMetadata
  /** Its price holds for a request that names no model. Absent: models have no prices, or nobody knows it. */
  defaultModel?: string | undefined
}

export interface BatchAdmission
  extends Pick<Admission, 'origin' | 'idempotency' | 'sealedKey' | 'requestId' | 'metadata'> {
  batchId?: string
  source: BatchSource
  item: ItemRequest
  reuseWithinSeconds: number
  maxCostMicros: Micros | null
  webhookUrl: string | null
}

export interface StartedBatch {
  batchId: string
  /** null: the playlist is not read yet. */
  total: number | null
  /** That of the batch which a retry repeats. */
  webhookUrl: string | null
}

/** An item whose turn has come. Its URL is checked before its job starts. */
export interface ItemTask {
  batchId: string
  index: number
  lease: string
  url: string
  linked?: LinkedFiles | undefined
  item: ItemRequest
  reuseWithinSeconds: number
  /** Models have prices, and the item names none. */
  needsDefaultModel?: boolean
}

/** What is known of an item's source: the rest of the Admission of its job. */
export type ItemAdmission = Pick<Admission, 'reuseKey' | 'announcedBytes' | 'diskBytes' | 'defaultModel'>

export interface StoredFile extends StoredSource {
  key: string
}

export interface IdempotencyKey {
  key: string
  /** A hash of the method, the path and the body. */
  fingerprint: string
}

export interface Started {
  jobId: string
  isReused: boolean
}

export interface StartToOpen {
  job: JobRequest | null
  /** An earlier job of the same request is the answer, if it is young enough. */
  reuse: { reuseKey: string; withinMs: number } | null
  joinKey: string | null
  idempotency: IdempotencyKey | null
  requestId: string
}

/** An event with what it tells of: the job, the batch, or `data`. */
export interface AccountEvent {
  id: string
  type: AccountEventType
  at: number
  /** As it was when it started, or as it is since its end. */
  job: Job | null
  batch: Batch | null
  data?: object | null
}

export interface EventPage {
  events: AccountEvent[]
  last: number
}

/** The current state of a job. `version` grows with every change. */
export interface JobSnapshot {
  job: Job
  version: number
}

/** Its version grows too when an item starts. */
export interface BatchSnapshot {
  batch: Batch
  version: number
}

/** What a Worker that waits wants to be told. The header WAIT_HEADER of a request for a WebSocket has it as JSON. */
export interface WaitRequest {
  /** A job, a batch, or the events of the account. */
  subject: string | 'events'
  keyHash: string
  /** The version that the Worker has. null: it has none. */
  seen: number | null
  /** Of a stream of events. */
  streamId: string | null
}

export const WAIT_HEADER = 'x-haul-wait'

/** A Worker that waits opens its socket again after this long: a message may be lost, and a socket fail without a sign. */
export const WAIT_RENEW_MS = 60_000

/** A socket is closed with this when its job or batch is gone or its key has been revoked. Any other end only interrupts it. */
export const WAIT_IS_OVER = 4_000

export interface AccountTotals {
  balance: Micros
  held: Micros
  available: Micros
}

export interface AccountChanges {
  name?: string | undefined
  isSuspended?: boolean | undefined
  limits?: LimitChanges | undefined
  prices?: OwnPrices | null | undefined
}

export type LedgerEntry = {
  id: string
  kind: 'credit' | 'hold' | 'charge' | 'release'
  amount: Micros
  jobId: string | null
  /** Of the job. null: a credit, or a month's sum. */
  keyId: string | null
  at: number
}

export interface JobLease {
  jobId: string
  lease: string
  /** Reports of containers have it. */
  attempt?: number
}

export interface FetchedFile {
  readBy?: ReadBy | undefined
  facts: MediaFacts
  stored: StoredMedia
  captions?: ReadCaptions | undefined
  about?: SourceAbout | undefined
  chapters?: Chapter[] | undefined
}

/** 'repeated': the report was accepted before, and its file is the job's. 'lost': the file belongs to nobody. */
export type FetchVerdict = 'accepted' | 'repeated' | 'lost'

/** 'stop': the job has failed. 'lost': another attempt has the lease, or the job has ended. */
export type ProgressVerdict = 'continue' | 'stop' | 'lost'

export interface ProgressAnswer {
  verdict: ProgressVerdict
  /** null: the download is not charged. */
  agreedBytes: number | null
  /** null: it decodes no speech that is charged. */
  agreedSeconds: number | null
}

/** The account stores `note`, the state that the previous run saved, without parsing it. */
export interface CopyTask {
  job: Job
  lease: string
  note: string | null
}

/** 'over': the job has ended. 'lost': another run has the lease. */
export type CopyLeaseState = 'continue' | 'over' | 'lost'

export type CopyPause =
  /** The run reached its time limit. The next run starts at once. */
  | { kind: 'more' }
  /** A temporary error. When no retry is left, the job fails with `reason`, unless it is an error of our own. */
  | { kind: 'retry'; reason: Failure }
