import type { Bucket } from './bucket.ts'
import { BucketRefusal } from './bucket-refusal.ts'
import type { CopyRuntime, CopyState } from './copy-state.ts'
import { type RetryRuntime, withRetries } from './retry.ts'

/** Allows for clock skew between the bucket and this service. S3 reports whole seconds. */
const CLOCK_MARGIN_MS = 5000

/** Aborts the upload of this state. An upload whose id was not saved is found by its key and age. */
export const abortUpload = async (
  bucket: Bucket,
  key: string,
  state: CopyState,
  runtime: RetryRuntime,
): Promise<void> => {
  // Never aborted: the job's cancellation itself leads here.
  const { signal } = new AbortController()
  const { uploadId } = state
  const uploadIds = uploadId ? [uploadId] : await withRetries(runtime, signal, () => openedUploads(bucket, key, state))
  for (const id of uploadIds) await withRetries(runtime, signal, () => bucket.abort(key, id))
}

/** Uploads of this key that are not older than the state. Empty if the credentials may not list uploads. */
const openedUploads = async (bucket: Bucket, key: string, { openedAt }: CopyState): Promise<string[]> => {
  const uploads = await bucket.uploadsOf(key).catch((error: unknown) => {
    if (error instanceof BucketRefusal && !error.retryable) return []
    throw error
  })
  return uploads.filter(({ initiatedAt }) => initiatedAt >= openedAt - CLOCK_MARGIN_MS).map(({ uploadId }) => uploadId)
}

/**
 * Removes an unfinished upload. Returns true and clears the state if nothing is left in the bucket. If the
 * bucket refuses, for example because it is down, the state stays and the caller can try again later.
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
