import type { Batch, BatchItem, ItemState } from '../../domain/batches/batch.ts'
import { accepted } from '../../domain/codes/refusals.ts'
import { admitBatch, type RetryAdmission, retryBatch } from './batches/admit-batch.ts'
import { cancelBatch } from './batches/cancel-batch.ts'
import { type ItemPage, readBatch, readBatches, readItems } from './batches/read-batches.ts'
import type { AccountAnswer, BatchAdmission, CanceledBatch, RequestIdentity, StartedBatch } from './calls.ts'
import { ForCallers, type PageRequest } from './for-callers.ts'

/** The account's methods for API requests that concern batches. */
export abstract class ForBatchCallers extends ForCallers {
  admitBatch(identity: RequestIdentity, request: BatchAdmission): Promise<AccountAnswer<StartedBatch>> {
    return this.state.requests.handle(identity, (now) => admitBatch(this.state.rows, request, identity.endpoint, now))
  }

  /** Counts as what the batch starts. */
  retryBatch(
    identity: RequestIdentity,
    batchId: string,
    request: RetryAdmission,
  ): Promise<AccountAnswer<StartedBatch>> {
    const { rows, requests } = this.state
    const isTranscription = () => rows.batches.find(batchId)?.kind === 'transcription'
    return requests.handle(identity, (now) => retryBatch(rows, batchId, request, identity.endpoint, now), {
      rateClass: () => (isTranscription() ? 'transcribe' : 'import'),
    })
  }

  readBatch(identity: RequestIdentity, batchId: string): Promise<AccountAnswer<Batch>> {
    return this.state.requests.read(identity, () => readBatch(this.state.rows, batchId))
  }

  batches(identity: RequestIdentity, { before, limit }: PageRequest): Promise<AccountAnswer<Batch[]>> {
    return this.state.requests.read(identity, () => accepted(readBatches(this.state.rows, before, limit)))
  }

  batchItems(
    identity: RequestIdentity,
    batchId: string,
    { state }: { state: ItemState | null },
    page: ItemPage,
  ): Promise<AccountAnswer<BatchItem[]>> {
    return this.state.requests.read(identity, () => readItems(this.state.rows, batchId, state, page))
  }

  cancelBatch(identity: RequestIdentity, batchId: string): Promise<AccountAnswer<CanceledBatch>> {
    return this.state.requests.handle(identity, (now) => cancelBatch(this.state.rows, batchId, now))
  }
}
