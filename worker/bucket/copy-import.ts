import { create as contentDisposition } from 'content-disposition'
import { objectKey } from '../../domain/bucket/object-name.ts'
import type { StorageSettings } from '../../domain/bucket/storage-settings.ts'
import { failure } from '../../domain/codes/failures.ts'
import type { FetchedImport, ImportJob } from '../../domain/jobs/job.ts'
import { mediaKey, mediaKeys } from '../../domain/media/media-keys.ts'
import { downloadCost } from '../../domain/money/prices.ts'
import type { CopyTask, JobLease } from '../account/calls.ts'
import { configOf } from '../env.ts'
import {
  type GetAccount,
  isSameAddress,
  type ObjectAddress,
  parseSavedCopy,
  retryClock,
  runUnderLease,
  type SavedCopy,
} from './copy-lease.ts'
import { objectUrl } from './s3/bucket.ts'
import type { BucketRefusal } from './s3/bucket-refusal.ts'
import { abandonCopy, copyToBucket } from './s3/copy.ts'
import type { FileToCopy } from './s3/copy-state.ts'
import { openBucket, unsealStorage } from './storage.ts'

/**
 * The `deliver` step, in runs of at most ten minutes, each of which continues from the saved state. A run uses the
 * current bucket settings, so that changed keys also apply to files that are being copied.
 */
export const copyImport = async (env: Env, accountId: string, jobId: string): Promise<void> => {
  const account: GetAccount = () => env.ACCOUNTS.getByName(accountId)
  const task = await account().claimCopy(jobId)
  if (task) await runCopy(env, accountId, account, task)
}

export const cleanUpCopy = async (env: Env, accountId: string, jobId: string): Promise<void> => {
  const account = env.ACCOUNTS.getByName(accountId)
  const saved = parseSavedCopy(await account.noteToCleanUp(jobId))
  if (!saved) return
  const settings = await unsealStorage(env, accountId)
  // Without the settings, nothing can be accessed.
  if (!settings || (await abandon(env, settings, saved))) await account.cleanedUp(jobId)
}

const runCopy = async (env: Env, accountId: string, account: GetAccount, task: CopyTask): Promise<void> => {
  const jobLease = { jobId: task.job.id, lease: task.lease }
  try {
    const settings = await unsealStorage(env, accountId)
    if (settings) await copy(env, account, jobLease, task, settings)
    else await account().failStep(jobLease, failure('STORAGE_FAILED', 'The bucket configuration was removed.'))
  } catch (cause) {
    console.error('bucket copy failed', task.job.id, cause)
    await account().pauseCopy(jobLease, { kind: 'retry', reason: failure('INTERNAL') })
  }
}

const copy = async (
  env: Env,
  account: GetAccount,
  lease: JobLease,
  { job, note }: CopyTask,
  usual: StorageSettings,
): Promise<void> => {
  const settings = { ...usual, bucket: job.request.storageBucket ?? usual.bucket }
  const media = job.carry
  if (!media) throw new Error(`${job.id} has no fetched media`)
  const file = fileToCopy(env, job, media, settings)
  const place = { endpoint: settings.endpoint, bucket: settings.bucket, key: file.key }
  const bucket = openBucket(env, settings)
  const state = await stateFor(env, settings, place, parseSavedCopy(note))
  const terms = { place, media, state, leaseMs: configOf(env).LEASE_MS }
  const outcome = await runUnderLease(account, lease, terms, (runtime) => copyToBucket(bucket, file, state, runtime))
  // After 'canceled' nothing is left to do: the copy has cleaned up, and the account has ended the job.
  if (outcome.state === 'more') await account().pauseCopy(lease, { kind: 'more' })
  if (outcome.state === 'failed') await pauseOrFail(account, lease, outcome.refusal)
  if (outcome.state !== 'done') return
  const { bucket: name, key } = place
  await account().complete(lease, {
    finished: { kind: 'import', result: { ...media, bucket: { url: objectUrl(settings, key), bucket: name, key } } },
    charge: downloadCost(job.prices, media.billedBytes ?? media.downloadedBytes),
    keys: mediaKeys(job.id, media.stored),
  })
}

const pauseOrFail = (account: GetAccount, lease: JobLease, { message, retryable }: BucketRefusal): Promise<boolean> => {
  const reason = { ...failure('STORAGE_FAILED', message), retryable }
  return retryable ? account().pauseCopy(lease, { kind: 'retry', reason }) : account().failStep(lease, reason)
}

const fileToCopy = (env: Env, job: ImportJob, media: FetchedImport, settings: StorageSettings): FileToCopy => ({
  key: objectKey({
    pathPrefix: settings.pathPrefix ?? '',
    storagePath: job.request.storagePath ?? '',
    filename: media.filename,
  }),
  sizeBytes: media.fileSizeBytes,
  metadata: {
    contentType: media.contentType,
    contentDisposition: contentDisposition(media.filename, { type: 'inline' }),
    storageClass: job.request.storageClass ?? settings.storageClass ?? undefined,
    sha256: media.sha256,
  },
  read: async (offset, length) => {
    const key = mediaKey(job.id, media.stored)
    const object = await env.MEDIA.get(key, { range: { offset, length } })
    if (!object) throw new Error(`${key} is missing in R2`)
    return object.body
  },
})

/** After a change of the bucket settings, the upload of an earlier run is useless and is aborted. */
const stateFor = async (env: Env, settings: StorageSettings, place: ObjectAddress, saved: SavedCopy | null) => {
  if (!saved || isSameAddress(saved.place, place)) return saved?.state ?? null
  await abandon(env, settings, saved)
  return null
}

const abandon = (env: Env, settings: StorageSettings, { place, state }: SavedCopy): Promise<boolean> => {
  const bucket = openBucket(env, { ...settings, endpoint: place.endpoint, bucket: place.bucket })
  return abandonCopy(bucket, place.key, state, { ...retryClock, save: async () => {} })
}
