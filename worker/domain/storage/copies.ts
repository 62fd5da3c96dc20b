import type { Failure } from '../codes/failures.ts'
import type { ImportJob } from '../jobs/job.ts'

/**
 * What there is to do about a job's file and the caller's bucket. `note` is what the last run left for the
 * next one, as text that the account keeps and does not read.
 */
export type CopyTask =
  | { kind: 'copy'; job: ImportJob; lease: string; note: string | null }
  /** The job has ended, and an upload of its may lie unfinished in the bucket. */
  | { kind: 'clean up'; note: string }

/** 'over': the job has ended. 'lost': another run has its lease. */
export type CopyStanding = 'go on' | 'over' | 'lost'

/** After a run that did not come to its end. */
export type CopyPause =
  /** Its time was up: on at once. */
  | { kind: 'more' }
  /** The bucket, or we, may do better later. With the last try used up, this is how the job fails. */
  | { kind: 'retry'; reason: Failure }

const MINUTE_MS = 60_000

/** Half an hour in all, beside the 20 s for which each run is patient by itself. */
const RETRY_MS = [5_000, MINUTE_MS, 3 * MINUTE_MS, 8 * MINUTE_MS, 18 * MINUTE_MS]

/** null: that was the last try. */
export const copyRetryMs = (tries: number): number | null => RETRY_MS[tries] ?? null

/** When it is cleaned up after the first time: once more, and longer where the bucket is down, for about a day. */
const CLEANUP_MS = [MINUTE_MS, 10 * MINUTE_MS, 60 * MINUTE_MS, 6 * 60 * MINUTE_MS, 18 * 60 * MINUTE_MS]

export const cleanupRetryMs = (tries: number): number | null => CLEANUP_MS[tries] ?? null
