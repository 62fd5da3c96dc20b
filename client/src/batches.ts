import type { Batch, BatchFilter, BatchItem, BatchItemFilter, BatchRequest, StartedBatch } from './api-types.ts'
import { follow, progressReporter } from './follow.ts'
import { type Call, withinCall } from './http/call.ts'
import { type Connection, entriesOf, Group, pathOf, startRequest } from './http/connection.ts'
import type { BatchWaitOptions, CallOptions, ListOptions, StartOptions } from './options.ts'

export class Batches extends Group {
  /**
   * Starts imports or transcriptions of up to 500 URLs, or of the entries of a playlist.
   *
   * ```ts
   * const { batchId } = await haul.batches.create({ playlistUrl: 'https://example.com/feed.xml', transcribe: {} })
   * const { counts } = await haul.batches.wait(batchId)
   * ```
   */
  create(request: BatchRequest, { idempotencyKey, ...options }: StartOptions = {}): Promise<StartedBatch> {
    return this.connection.call(options, startRequest('/batches', request, idempotencyKey))
  }

  get(batchId: string, options: CallOptions = {}): Promise<Batch> {
    return this.connection.call(options, { path: pathOf('batches', batchId) })
  }

  /** Batches, newest first: those of a watch with its `watchId`, else those of no watch. */
  list(options: BatchFilter & ListOptions = {}): AsyncIterableIterator<Batch> {
    return entriesOf(this.connection, '/batches', 'batches', options)
  }

  /** The items of a batch, in their order. */
  items(batchId: string, options: BatchItemFilter & ListOptions = {}): AsyncIterableIterator<BatchItem> {
    return entriesOf(this.connection, `${pathOf('batches', batchId)}/items`, 'items', options)
  }

  /** Cancels the items that have not ended. */
  cancel(batchId: string, options: CallOptions = {}): Promise<Batch> {
    return this.connection.call(options, { method: 'DELETE', path: pathOf('batches', batchId) })
  }

  /**
   * Starts a new batch of the items that failed retryably, were skipped or canceled. While an earlier retry is open,
   * resolves with that one.
   */
  retry(batchId: string, { idempotencyKey, ...options }: StartOptions = {}): Promise<StartedBatch> {
    const path = `${pathOf('batches', batchId)}/retry`
    return this.connection.call(options, startRequest(path, undefined, idempotencyKey))
  }

  /**
   * Resolves when the batch has ended, also if it failed or was canceled: see its `status`. Aborting `signal` stops
   * the wait, and the batch goes on.
   */
  wait(batchId: string, { onProgress, onChange, ...options }: BatchWaitOptions = {}): Promise<Batch> {
    const reportProgress = progressReporter(onProgress, progressOf)
    const report = (batch: Batch) => {
      onChange?.(batch)
      reportProgress(batch)
    }
    return withinCall(options, (call) => followBatch(this.connection, call, batchId, report))
  }
}

/** Without a stream. The service answers at once, and counts each of them. */
const POLL_MS = 5_000

export const followBatch = (
  connection: Connection,
  call: Call,
  batchId: string,
  report: (batch: Batch) => void,
): Promise<Batch> => {
  const path = pathOf('batches', batchId)
  const poll = (): Promise<Batch> => connection.json(call, { path })
  return follow(connection, call, { path, poll, shortestPollMs: POLL_MS }, report)
}

const progressOf = ({ status, counts: { total, completed, failed, skipped } }: Batch) => {
  if (total === null) return { stage: status }
  return { stage: status, percent: total === 0 ? 100 : Math.floor((100 * (completed + failed + skipped)) / total) }
}
