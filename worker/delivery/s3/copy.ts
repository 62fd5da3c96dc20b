import { abandonCopy } from './abandon.ts'
import type { Bucket } from './client.ts'
import { sendInParts } from './parts.ts'
import { OutOfTime } from './patience.ts'
import { MAX_DELIVERY_BYTES, partSizeFor } from './plan.ts'
import { type BucketFailure, BucketRefusal } from './refusal.ts'
import type { CopyRuntime, CopyState, FileToDeliver, Run } from './run.ts'
import { sendWhole } from './whole.ts'

/**
 * One file of ours into a caller's bucket, over as many invocations as it takes.
 *
 *   up to one part:  PUT ───────────────────────────────────────────────┐
 *   more:            opening ─ create ─ parts, in any order ─ complete ─┴─ HEAD ─ done
 *                        ╰─ saved ──╯─ saved ─╯ each saved
 *
 * The state is saved before and after every act that leaves something in the bucket, so a death at any
 * moment costs at most the parts in flight. Doing any of it twice ends the same.
 *
 *   done      the bucket holds the file, checked
 *   more      the deadline came first: call again with the saved state
 *   failed    retryable: call again later, the parts so far stay. Otherwise the upload was aborted
 *   canceled  the signal fired; the upload was aborted
 *
 * Whoever gives up on a retryable failure calls `abandonCopy`. Anything thrown is our own fault (the
 * source, the saving) and leaves the upload for the next attempt.
 */
export type CopyOutcome =
  | { state: 'done' }
  | { state: 'more' }
  | { state: 'canceled' }
  | { state: 'failed'; failure: BucketFailure }

export const copyToBucket = async (
  bucket: Bucket,
  file: FileToDeliver,
  saved: CopyState | null,
  runtime: CopyRuntime,
): Promise<CopyOutcome> => {
  const run: Run = { bucket, file, runtime, state: saved && structuredClone(saved) }
  try {
    runtime.signal.throwIfAborted()
    return { state: (await send(run)) ? 'done' : 'more' }
  } catch (error) {
    return await ending(run, error)
  }
}

const send = (run: Run): Promise<boolean> => {
  const { sizeBytes } = run.file
  if (sizeBytes > MAX_DELIVERY_BYTES) {
    throw new BucketRefusal('STORAGE_REFUSED', { status: 0, words: 'the file is too large to be delivered.' })
  }
  return sizeBytes <= partSizeFor(sizeBytes) ? sendWhole(run) : sendInParts(run)
}

const ending = async (run: Run, error: unknown): Promise<CopyOutcome> => {
  const { bucket, file, runtime, state } = run
  if (runtime.signal.aborted) {
    await abandonCopy(bucket, file.key, state, runtime)
    return { state: 'canceled' }
  }
  if (error instanceof OutOfTime) return { state: 'more' }
  if (!(error instanceof BucketRefusal)) throw error
  if (!error.retryable) await abandonCopy(bucket, file.key, state, runtime)
  return { state: 'failed', failure: error.toValue() }
}
