import type { Batch, BatchItem, BatchItemFilter, BatchRequest, StartedBatch } from './api-types.ts'
import { pause, withinCall } from './http/call.ts'
import { entriesOf, Group, pathOf, startRequest } from './http/connection.ts'
import { wholeProgress } from './jobs/follow-job.ts'
import type { CallOptions, ListOptions, Progress, ProgressOptions, StartOptions } from './options.ts'

const FIRST_POLL_MS = 1_000
const LONGEST_POLL_MS = 10_000
const POLL_GROWTH = 1.3

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

  /** Batches, newest first. */
  list(options: ListOptions = {}): AsyncIterableIterator<Batch> {
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
  wait(batchId: string, { onProgress, ...options }: CallOptions & ProgressOptions = {}): Promise<Batch> {
    return withinCall(options, async (call) => {
      let ended: number | undefined
      for (let pauseMs = FIRST_POLL_MS; ; pauseMs = Math.min(LONGEST_POLL_MS, pauseMs * POLL_GROWTH)) {
        const batch: Batch = await this.connection.json(call, { path: pathOf('batches', batchId) })
        if (endedItems(batch) !== ended) onProgress?.(progressOf(batch))
        ended = endedItems(batch)
        if (batch.status !== 'queued' && batch.status !== 'running') return batch
        await pause(pauseMs, call.signal)
      }
    })
  }
}

const endedItems = ({ counts }: Batch): number => counts.completed + counts.failed + counts.skipped

const progressOf = (batch: Batch): Progress => {
  const { total } = batch.counts
  const percent = total === null ? null : total === 0 ? 100 : Math.floor((100 * endedItems(batch)) / total)
  return wholeProgress({ stage: batch.status, percent })
}
