import type { Failure } from '../codes/failures.ts'
import { type ImportRequest, type JobKind, mayHaveCaptions, type TranscribeRequest } from '../jobs/job.ts'
import type { JobMetadata } from '../jobs/job-metadata.ts'
import { isoTime, isoTimeOrNull } from '../jobs/job-status.ts'
import { type Micros, toDollars } from '../money/money.ts'
import type { LinkedFiles } from '../protocol/protocol.ts'

/**
 * A batch starts one job for each of its items, as slots of the account become free. A batch of a playlist is first listed:
 *
 *   queued ──listed──▶ queued ──first item starts──▶ running ──every item has ended──▶ completed
 *      ├──the list cannot be read, or is empty──▶ failed
 *      └──canceled by the caller, at any time──▶ canceled
 */
export type BatchState = 'queued' | 'running' | EndedBatchState
export type EndedBatchState = 'completed' | 'canceled' | 'failed'

/** How many batches of an account may be open. Each act reads all of them, so their number is limited. */
export const MAX_OPEN_BATCHES = 100

export type BatchSource =
  | { kind: 'urls'; urls: string[] }
  /** Listed in the container, at most `limit` items. */
  | { kind: 'playlist'; url: string; limit: number }

/** What each item is asked for. The URL is the item's. */
export type ItemRequest =
  | { kind: 'import'; request: Omit<ImportRequest, 'url'> }
  | { kind: 'transcription'; request: Omit<TranscribeRequest, 'url' | 'importId' | 'uploadId'> }

export interface ItemSource {
  url: string
  /** Of an item of a feed. */
  linked?: LinkedFiles | undefined
}

export const requestOfItem = (
  request: ItemRequest['request'],
  { url, linked }: ItemSource,
): ImportRequest | TranscribeRequest =>
  'provider' in request
    ? { ...request, url, importId: null, uploadId: null, ...(linked && { linked }) }
    : { ...request, url, ...(linked && usesLinked(request) && { linked }) }

const usesLinked = (request: Omit<ImportRequest, 'url'>): boolean =>
  mayHaveCaptions(request) || (request.files ?? []).includes('chapters')

export interface BatchCounts {
  total: number | null
  waiting: number
  /** Queued or running. */
  running: number
  completed: number
  failed: number
  /** Skipped or canceled. */
  skipped: number
}

export interface Batch {
  id: string
  kind: JobKind
  state: BatchState
  title: string | null
  createdAt: number
  completedAt: number | null
  counts: BatchCounts
  /** What its completed items were charged. */
  costMicros: Micros
  maxCostMicros: Micros | null
  /** The watch that made it. */
  watchId: string | null
  failure: Failure | null
  webhookUrl: string | null
  /** The origin of the request that started the batch. null: PUBLIC_URL was set. */
  origin: string | null
  /** The jobs of its items have it too. Absent: none. */
  metadata?: JobMetadata
}

/** `skipped`: the ceiling or the balance was reached before it started. `canceled`: the batch was. */
export type ItemState = 'waiting' | 'queued' | 'running' | 'completed' | 'failed' | 'skipped' | 'canceled'

export interface BatchItem {
  /** From 0, in the order of the list. */
  index: number
  url: string
  title: string | null
  state: ItemState
  jobId: string | null
  /** What would refuse a single request is the code of a failed item too, such as UNREACHABLE_URL. */
  code: string | null
  message: string | null
  costMicros: Micros | null
  /** Whether no part of its job has failed. null: it has not completed. */
  isComplete: boolean | null
}

/** A batch as callers see it, in responses and in webhooks. */
export const batchStatus = (batch: Batch) => ({
  batchId: batch.id,
  watchId: batch.watchId,
  kind: batch.kind,
  status: batch.state,
  title: batch.title,
  createdAt: isoTime(batch.createdAt),
  completedAt: isoTimeOrNull(batch.completedAt),
  metadata: batch.metadata ?? {},
  counts: batch.counts,
  costInDollars: toDollars(batch.costMicros),
  maxCostDollars: batch.maxCostMicros === null ? null : toDollars(batch.maxCostMicros),
  ...(batch.failure ? { code: batch.failure.code, message: batch.failure.message } : {}),
})

export const itemStatus = ({ state, costMicros, ...item }: BatchItem) => ({
  index: item.index,
  url: item.url,
  title: item.title,
  jobId: item.jobId,
  status: state,
  code: item.code,
  message: item.message,
  costInDollars: costMicros === null ? null : toDollars(costMicros),
  complete: item.isComplete,
})
