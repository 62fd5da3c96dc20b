import type { Result } from './codes/refusals.ts'
import type { ImportRequest, Job, JobKind, TranscribeRequest } from './jobs/job.ts'
import type { RateClass, RateState } from './limits.ts'
import type { Micros } from './money/money.ts'

/** What is asked of an account's object, and what it answers: the words that stages share. */

/** Who asks, and against which window the asking counts. */
export interface Pass {
  keyHash: string
  rateClass: RateClass
  endpoint: string
}

/** Every answer to a caller carries the state of its window, for the headers that ride on all responses. */
export interface Answer<T> {
  rate: RateState
  result: Result<T>
}

/** What a start request brings to the account: everything about it has been checked but the account itself. */
export interface Admission {
  kind: JobKind
  request: ImportRequest | TranscribeRequest
  hold: Micros
  idempotency: IdempotencyClaim | null
  /** The provider key that came with the request: sealed, and kept for as long as the job lives. */
  sealedKey?: string | null
}

export interface IdempotencyClaim {
  key: string
  /** Of the method, the path and the body. */
  fingerprint: string
}

export interface Started {
  jobId: string
}

/** A job as it stands, and a number that is larger after every change. */
export interface Sighting {
  job: Job
  version: number
}

export interface Totals {
  balance: Micros
  held: Micros
  available: Micros
}

export interface Summary extends Totals {
  accountId: string
  name: string
  /** Webhook deliveries that were given up. */
  failedDeliveries: number
}

export type EntryKind = 'credit' | 'hold' | 'charge' | 'release'

export interface Entry {
  id: string
  kind: EntryKind
  amount: Micros
  jobId: string | null
  at: number
}
