import type { StorageSettings } from '../../domain/bucket/storage-settings.ts'
import { failure } from '../../domain/codes/failures.ts'
import { storageOf } from '../../domain/jobs/job.ts'
import type { CopyTask, JobLease } from '../account/calls.ts'
import { configOf } from '../env.ts'
import { removeSaved } from './clean-up.ts'
import { type GetAccount, isContinued, parseSavedCopy, runUnderLease, type SavedCopy } from './copy-lease.ts'
import { filesToDeliver, mainKeyOf } from './files-to-deliver.ts'
import { objectUrl } from './s3/bucket.ts'
import type { BucketRefusal } from './s3/bucket-refusal.ts'
import { copyFiles, type FilesState, type FileToDeliver } from './s3/copy-files.ts'
import { openBucket, unsealStorage } from './storage.ts'

/**
 * The `deliver` step, in runs of at most ten minutes, each of which continues from the saved state. A run uses the
 * current bucket settings, so that changed keys also apply to files that are being copied. What was copied for a job
 * that fails is removed by the account's cleanup and never by a run: another run may just have completed the job.
 */
export const deliver = async (env: Env, accountId: string, jobId: string): Promise<void> => {
  const account: GetAccount = () => env.ACCOUNTS.getByName(accountId)
  const task = await account().claimCopy(jobId)
  if (!task) return
  const lease = { jobId, lease: task.lease }
  try {
    const settings = await unsealStorage(env, accountId)
    if (settings) await copy(env, account, lease, task, settings)
    else await account().failStep(lease, failure('STORAGE_FAILED', 'The bucket configuration was removed.'))
  } catch (cause) {
    console.error('bucket copy failed', jobId, cause)
    await account().pauseCopy(lease, { kind: 'retry', reason: failure('INTERNAL') })
  }
}

const copy = async (
  env: Env,
  account: GetAccount,
  lease: JobLease,
  { job, note }: CopyTask,
  usual: StorageSettings,
): Promise<void> => {
  const settings = { ...usual, bucket: storageOf(job)?.storageBucket ?? usual.bucket }
  const files = filesToDeliver(env, job, settings)
  const terms = { place: settings, downloadedBytes: job.carry?.downloadedBytes ?? 0, leaseMs: configOf(env).LEASE_MS }
  const outcome = await runUnderLease(account, lease, terms, async (runtime) => {
    const state = await stateFor(env, job.id, settings, files, parseSavedCopy(note))
    return copyFiles(openBucket(env, settings), { jobId: job.id, files }, state, runtime)
  })
  // After 'canceled' nothing is left to do: the account has ended the job, and cleans up.
  if (outcome.state === 'more') await account().pauseCopy(lease, { kind: 'more' })
  if (outcome.state === 'failed') await pauseOrFail(account, lease, outcome.refusal)
  if (outcome.state !== 'done') return
  const key = mainKeyOf(job, settings)
  await account().finishDelivery(lease, { url: objectUrl(settings, key), bucket: settings.bucket, key })
}

const pauseOrFail = (account: GetAccount, lease: JobLease, { message, retryable }: BucketRefusal): Promise<boolean> => {
  const reason = { ...failure('STORAGE_FAILED', message), retryable }
  return retryable ? account().pauseCopy(lease, { kind: 'retry', reason }) : account().failStep(lease, reason)
}

/** After a change of the bucket settings, what earlier runs have copied is removed where it is. */
const stateFor = async (
  env: Env,
  jobId: string,
  settings: StorageSettings,
  files: FileToDeliver[],
  saved: SavedCopy | null,
): Promise<FilesState | null> => {
  if (!saved) return null
  if (isContinued(saved, settings, files)) return { ...saved, key: saved.place.key }
  await removeSaved(env, settings, jobId, saved)
  return null
}
