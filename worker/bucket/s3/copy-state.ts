import { backoffMs, retry } from '../../../domain/retry.ts'
import type { Bucket, ObjectMetadata, UploadedPart } from './bucket.ts'
import { BucketRefusal } from './bucket-refusal.ts'

export interface FileToCopy {
  key: string
  sizeBytes: number
  metadata: ObjectMetadata
  /** Returns exactly this range of the source as a byte stream, like the body of an R2 object. */
  read: (offset: number, lengthBytes: number) => Promise<ReadableStream<Uint8Array>>
}

export interface CopyState {
  /** Milliseconds since 1970. If a crash loses the upload's id, uploads of this key that are not older are ours. */
  openedAt: number
  uploadId: string | null
  partSizeBytes: number
  checksums: boolean
  parts: UploadedPart[]
}

export type OpenUpload = CopyState & { uploadId: string }

export interface CopyRuntime {
  now: () => number
  /** Rejects when the signal is aborted. In a Worker: `scheduler.wait` with a signal. */
  sleep: (ms: number, signal: AbortSignal) => Promise<void>
  random: () => number
  /** Milliseconds since 1970. No request starts after it, but one that is running may take three more minutes. */
  deadline: number
  /** Overrides the default for a call inside another retried call. */
  attempts?: number
  signal: AbortSignal
  /** An exception stops the copy. */
  save: (state: CopyState) => Promise<void>
}

/** What it takes to ask again and again. */
export type RetryRuntime = Omit<CopyRuntime, 'save'>
export type RetryClock = Pick<CopyRuntime, 'now' | 'sleep' | 'random'>

/** Shared by all functions of one run. `state` is the saved state and is replaced as the copy advances. */
export interface CopyRun {
  bucket: Bucket
  file: FileToCopy
  runtime: CopyRuntime
  state: CopyState | null
}

/** The invocation reached its deadline. The next one continues from the saved state. */
export class OutOfTime extends Error {
  override name = 'OutOfTime'
}

/** About 20 s with the delays between them. The step's own retries cover longer outages. */
const ATTEMPTS = 6
const BACKOFF = { firstMs: 500, longestMs: 30_000 }

/** Jitter of ±50 % keeps parallel uploads from retrying at the same moment. `random` is between 0 and 1. */
export const retryDelayMs = (attempt: number, random: number, retryAfterMs: number | null): number =>
  Math.min(BACKOFF.longestMs, Math.max(retryAfterMs ?? 0, backoffMs(attempt, BACKOFF) * (0.5 + random)))

/** Retries `act` after retryable refusals. Throws OutOfTime when the next delay would pass the deadline. */
export const withRetries = <T>(
  runtime: RetryRuntime,
  act: (signal: AbortSignal) => Promise<T>,
  signal = runtime.signal,
): Promise<T> =>
  retry(() => act(signal), {
    attempts: runtime.attempts ?? ATTEMPTS,
    isRetryable: (error) => error instanceof BucketRefusal && error.retryable,
    delayMs: (failures, error) => retryDelayMs(failures, runtime.random(), (error as BucketRefusal).retryAfterMs),
    signal,
    pause: async (ms) => {
      if (runtime.now() + ms >= runtime.deadline) throw new OutOfTime()
      await runtime.sleep(ms, signal)
    },
  })
