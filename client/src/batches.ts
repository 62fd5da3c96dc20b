import type { Batch, BatchItem, BatchItemFilter, BatchRequest, StartedBatch } from './api-types.ts'
import type { CallOptions, ListOptions, ProgressOptions, StartOptions } from './options.ts'

export class Batches {
  /**
   * Starts imports or transcriptions of up to 500 URLs, or of the entries of a playlist.
   *
   * ```ts
   * const { batchId } = await haul.batches.create({ playlistUrl: 'https://example.com/feed.xml', transcribe: {} })
   * const { counts } = await haul.batches.wait(batchId)
   * ```
   */
  create(_request: BatchRequest, _options?: StartOptions): Promise<StartedBatch> {
    throw new Error('not implemented')
  }

  get(_batchId: string, _options?: CallOptions): Promise<Batch> {
    throw new Error('not implemented')
  }

  /** Batches, newest first. */
  list(_options?: ListOptions): AsyncIterableIterator<Batch> {
    throw new Error('not implemented')
  }

  /** The items of a batch, in their order. */
  items(_batchId: string, _options?: BatchItemFilter & ListOptions): AsyncIterableIterator<BatchItem> {
    throw new Error('not implemented')
  }

  /** Cancels the items that have not ended. */
  cancel(_batchId: string, _options?: CallOptions): Promise<Batch> {
    throw new Error('not implemented')
  }

  /** Starts a new batch of the items that failed retryably, were skipped or canceled. */
  retry(_batchId: string, _options?: StartOptions): Promise<StartedBatch> {
    throw new Error('not implemented')
  }

  /** Resolves when every item has ended, whatever became of it. A batch that failed rejects nothing: see `status`. */
  wait(_batchId: string, _options?: CallOptions & ProgressOptions): Promise<Batch> {
    throw new Error('not implemented')
  }
}
