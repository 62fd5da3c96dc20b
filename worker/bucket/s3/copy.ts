import type { Bucket } from './bucket.ts'
import { BucketRefusal } from './bucket-refusal.ts'
import {
  type CopyRun,
  type CopyRuntime,
  type CopyState,
  type FileToCopy,
  OutOfTime,
  type RetryClock,
} from './copy-state.ts'
import { MAX_COPY_BYTES, partSizeFor } from './parts.ts'
import { abortUpload, uploadInParts, uploadWhole } from './upload.ts'

/**
 * Copies one file into a caller's bucket, in as many invocations as needed.
 *
 *   up to one part:  PUT ───────────────────────────────────────────────┐
 *   more:            opening ─ create ─ parts, in any order ─ complete ─┴─ HEAD ─ done
 *                        ╰─ saved ──╯─ saved ─╯ each saved
 *
 * The state is saved before and after every act that leaves something in the bucket, so a crash at any
 * moment costs at most the parts in flight. Repeating any of it gives the same result.
 *
 *   done      the file is stored and verified
 *   more      the deadline passed first: call again with the saved state
 *   failed    retryable: call again later, uploaded parts are kept. Otherwise the upload was aborted
 *   canceled  the signal was aborted; the upload was aborted
 *
 * A caller that gives up on a retryable failure calls `abandonCopy`. An exception is an internal error (reading
 * the source or saving the state) and leaves the upload for the next attempt.
 */
export type CopyOutcome = { state: 'done' | 'more' | 'canceled' } | { state: 'failed'; refusal: BucketRefusal }

export const copyToBucket = async (
  bucket: Bucket,
  file: FileToCopy,
  saved: CopyState | null,
  runtime: CopyRuntime,
): Promise<CopyOutcome> => {
  const run: CopyRun = { bucket, file, runtime, state: saved && structuredClone(saved) }
  try {
    runtime.signal.throwIfAborted()
    return { state: (await send(run)) ? 'done' : 'more' }
  } catch (error) {
    return await ending(run, error)
  }
}

const send = (run: CopyRun): Promise<boolean> => {
  const { sizeBytes } = run.file
  if (sizeBytes > MAX_COPY_BYTES) {
    throw new BucketRefusal('STORAGE_REFUSED', { status: 0, serverMessage: 'the file is too large to copy.' })
  }
  return sizeBytes <= partSizeFor(sizeBytes) ? uploadWhole(run) : uploadInParts(run)
}

const ending = async (run: CopyRun, error: unknown): Promise<CopyOutcome> => {
  const { bucket, file, runtime, state } = run
  if (runtime.signal.aborted) {
    await abandonCopy(bucket, file.key, state, runtime)
    return { state: 'canceled' }
  }
  if (error instanceof OutOfTime) return { state: 'more' }
  if (!(error instanceof BucketRefusal)) throw error
  if (!error.retryable) await abandonCopy(bucket, file.key, state, runtime)
  return { state: 'failed', refusal: error }
}

/** Removes an unfinished upload. False: the bucket refused, so the caller may try again later. */
export const abandonCopy = async (
  bucket: Bucket,
  key: string,
  state: CopyState | null,
  clock: RetryClock,
): Promise<boolean> => {
  if (!state) return true
  try {
    await abortUpload(bucket, key, state, { ...clock, deadline: Number.POSITIVE_INFINITY })
    return true
  } catch (error) {
    if (error instanceof BucketRefusal) return false
    throw error
  }
}
