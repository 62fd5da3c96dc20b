import type { StorageSettings } from '../../domain/bucket/storage-settings.ts'
import { parseSavedCopy, retryClock, type SavedCopy } from './copy-lease.ts'
import { abandonCopy } from './s3/copy.ts'
import { removeCopies } from './s3/copy-files.ts'
import { openBucket, unsealStorage } from './storage.ts'

/** Removes what a job has left in its caller's bucket when it failed or was canceled. The account repeats it. */
export const cleanUpCopy = async (env: Env, accountId: string, jobId: string): Promise<void> => {
  const account = env.ACCOUNTS.getByName(accountId)
  const saved = parseSavedCopy(await account.noteToCleanUp(jobId))
  if (!saved) return
  const settings = await unsealStorage(env, accountId)
  // Without the settings, nothing can be accessed.
  if (!settings || (await removeSaved(env, settings, jobId, saved))) await account.cleanedUp(jobId)
}

/** Removes the unfinished upload and the objects, with today's keys. False: a later attempt may remove what is left. */
export const removeSaved = async (
  env: Env,
  settings: StorageSettings,
  jobId: string,
  { place: { endpoint, bucket: name, key }, copied, state }: SavedCopy,
): Promise<boolean> => {
  const bucket = openBucket(env, { ...settings, endpoint, bucket: name })
  const isAborted = await abandonCopy(bucket, key, state, retryClock)
  const refusal = await removeCopies(bucket, jobId, [...copied, key], retryClock)
  if (refusal) console.warn('files are left in a bucket', jobId, refusal.message)
  return isAborted && !refusal?.retryable
}
