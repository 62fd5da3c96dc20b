import type { Bucket } from './client.ts'
import { type Patience, patiently } from './patience.ts'
import { BucketRefusal } from './refusal.ts'
import type { CopyRuntime, CopyState } from './run.ts'

/** The clocks of the bucket and of this service may differ, and S3 tells whole seconds. */
const CLOCK_MARGIN_MS = 5000

/** Aborts the upload of this state; one whose id was never learned is found by its key and age. */
export const abortUpload = async (bucket: Bucket, key: string, state: CopyState, patience: Patience): Promise<void> => {
  // Not to be canceled: this is what a cancellation leads to.
  const { signal } = new AbortController()
  const { uploadId } = state
  const uploads = uploadId ? [uploadId] : await patiently(patience, signal, () => leftovers(bucket, key, state))
  for (const upload of uploads) await patiently(patience, signal, () => bucket.abort(key, upload))
}

/** Uploads begun for this key since we were about to begin one. A bucket that shows nobody its uploads has none for us. */
const leftovers = async (bucket: Bucket, key: string, { openedAt }: CopyState): Promise<string[]> => {
  const uploads = await bucket.uploadsOf(key).catch((error: unknown) => {
    if (error instanceof BucketRefusal && !error.retryable) return []
    throw error
  })
  return uploads.filter(({ initiatedAt }) => initiatedAt >= openedAt - CLOCK_MARGIN_MS).map(({ uploadId }) => uploadId)
}

/**
 * Removes what a copy left unfinished, and says whether nothing is left. Only then is the state cleared: with
 * a server that is down just now, another try can be made later.
 */
export const abandonCopy = async (
  bucket: Bucket,
  key: string,
  state: CopyState | null,
  runtime: Omit<CopyRuntime, 'deadline' | 'signal'>,
): Promise<boolean> => {
  if (!state) return true
  try {
    await abortUpload(bucket, key, state, { ...runtime, deadline: Number.POSITIVE_INFINITY })
  } catch (error) {
    if (error instanceof BucketRefusal) return false
    throw error
  }
  await runtime.save(null)
  return true
}
