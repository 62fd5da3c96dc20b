import type { ProbeAnswer, ProbeOrder } from '../../container/protocol.ts'
import type { Result } from '../domain/codes/refusals.ts'
import type { Job, ProviderName, TranscriptionJob } from '../domain/jobs/job.ts'
import type { RateClass, RateState } from '../domain/limits.ts'
import type { KeptStorage, StorageSettings } from '../domain/storage/settings.ts'
import type { ClaimedDelivery, Delivery } from '../domain/webhooks/deliveries.ts'
import type { TranscriptFormat } from '../domain/words/formats.ts'
import type { Config } from '../env.ts'
import type { Outbound } from '../outbound.ts'

/** What this stage needs of the others; index.ts introduces them. */
export interface Parts {
  config: Config
  outbound: Outbound
  /** Checks API keys by their checksum and makes new ones. */
  keySigner(): Promise<CryptoKey>
  probe(accountId: string, order: ProbeOrder): Promise<ProbeAnswer>
  /** What the status endpoint answers: links are made, words are read from storage. */
  present(job: Job): Promise<object>
  /** A finished transcript as a file; null when it was removed. */
  transcriptFile(job: TranscriptionJob, format: TranscriptFormat): Promise<TranscriptFile | null>
  /** What stands behind a neutral provider name. */
  provider(slot: ProviderSlot): Provider
  webhookSecret(accountId: string, seed: string): Promise<string>
  /** Makes a claimed attempt of a webhook, and says how the delivery stands after it. */
  deliver(accountId: string, claimed: ClaimedDelivery): Promise<Delivery | null>
  /** Proves a bucket, and keeps it only then. */
  keepStorage(accountId: string, settings: StorageSettings): Promise<Result<KeptStorage>>
  serveMedia(request: Request, jobId: string, filename: string): Promise<Served>
}

/** The file or a part of it, or why not: `sizeBytes` is there when the range lies outside of the file. */
export type Served = Response | 'invalid' | 'expired' | { sizeBytes: number }

export interface TranscriptFile {
  body: ReadableStream<Uint8Array>
  contentType: string
}

export type ProviderSlot = Exclude<ProviderName, 'builtin'>

export interface Provider {
  /** Under which a caller's key for it is sealed and kept. */
  keyRecord: string
  /** Options that a caller can't set, each with its reason. */
  refused(options: Record<string, unknown>): { option: string; message: string }[]
}

/** Who is calling: the account that the key names, and the hash that the account knows the key by. */
export interface Caller {
  accountId: string
  keyHash: string
}

export interface Api {
  Bindings: Env
  Variables: {
    parts: Parts
    requestId: string
    /** The window that the endpoint belongs to, and its state as far as it is known. */
    rateClass: RateClass
    rate: RateState | null
    caller: Caller
  }
}
