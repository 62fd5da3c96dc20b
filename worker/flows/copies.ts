import { create as contentDisposition } from 'content-disposition'
import { abandonCopy } from '../delivery/s3/abandon.ts'
import { objectUrl } from '../delivery/s3/address.ts'
import { copyToBucket } from '../delivery/s3/copy.ts'
import type { BucketFailure } from '../delivery/s3/refusal.ts'
import type { FileToDeliver } from '../delivery/s3/run.ts'
import { type Failure, failure } from '../domain/codes/failures.ts'
import type { FetchedImport, ImportJob } from '../domain/jobs/job.ts'
import { mediaKey, mediaKeys } from '../domain/media/media-keys.ts'
import { downloadCost } from '../domain/money/prices.ts'
import type { CopyTask } from '../domain/storage/copies.ts'
import { objectKey } from '../domain/storage/object-name.ts'
import type { StorageSettings } from '../domain/storage/settings.ts'
import { configOf } from '../env.ts'
import {
  type Account,
  type Held,
  holding,
  isSamePlace,
  type Note,
  type Place,
  patience,
  readNote,
} from './held-copy.ts'
import { openBucket, unsealStorage } from './storage.ts'

/**
 * The way of a file into its caller's bucket, in a queue's invocation of at most ten minutes. The keys are
 * those of now, not of when the job began: whoever changes them while files are on their way means the new
 * ones for these too. The account holds the note from which the next run goes on after any death.
 */
export const takeCopy = async (env: Env, accountId: string, jobId: string): Promise<void> => {
  const account: Account = () => env.ACCOUNTS.getByName(accountId)
  const task = await account().claimCopy(jobId)
  if (task?.kind === 'copy') await deliver(env, accountId, account, task)
  if (task?.kind === 'clean up' && (await cleanUp(env, accountId, task.note))) await account().cleanedUp(jobId)
}

const deliver = async (
  env: Env,
  accountId: string,
  account: Account,
  { job, lease, note }: CopyTask & { kind: 'copy' },
): Promise<void> => {
  const held = { jobId: job.id, lease }
  try {
    const settings = await unsealStorage(env, accountId)
    if (settings) await copy(env, account, held, { job, note, settings: settingsFor(job, settings) })
    else await account().failStep(held, failure('STORAGE_FAILED', 'No bucket is configured any more.'))
  } catch (cause) {
    console.error('copy', job.id, cause)
    await account().pauseCopy(held, { kind: 'retry', reason: failure('INTERNAL') })
  }
}

const settingsFor = ({ request }: ImportJob, settings: StorageSettings): StorageSettings => ({
  ...settings,
  bucket: request.storageBucket ?? settings.bucket,
})

interface Work {
  job: ImportJob
  note: string | null
  settings: StorageSettings
}

const copy = async (env: Env, account: Account, held: Held, { job, note, settings }: Work): Promise<void> => {
  const media = fetchedOf(job)
  const file = fileOf(env, job, media, settings)
  const place = { endpoint: settings.endpoint, bucket: settings.bucket, key: file.key }
  const bucket = openBucket(env, settings)
  const state = await stateFor(env, settings, place, readNote(note))
  const { keep } = holding(account, held, { place, media, state, leaseMs: configOf(env).leaseMs })
  const outcome = await keep((runtime) => copyToBucket(bucket, file, state, runtime))
  // Canceled, it has cleaned up after itself, and the account has ended the job.
  if (outcome.state === 'more') await account().pauseCopy(held, { kind: 'more' })
  if (outcome.state === 'failed') await giveWay(account, held, outcome.failure)
  if (outcome.state !== 'done') return
  const { bucket: name, key } = place
  await account().complete(held, {
    finished: { kind: 'import', result: { ...media, bucket: { url: objectUrl(settings, key), bucket: name, key } } },
    charge: downloadCost(media.downloadedBytes),
    keys: mediaKeys(job.id, media.stored),
  })
}

const giveWay = (account: Account, held: Held, refused: BucketFailure): Promise<boolean> => {
  const reason = failed(refused)
  return refused.retryable ? account().pauseCopy(held, { kind: 'retry', reason }) : account().failStep(held, reason)
}

/** In the bucket's own words, and as hopeful as it is. */
const failed = ({ message, retryable }: BucketFailure): Failure => ({
  ...failure('STORAGE_FAILED', message),
  retryable,
})

const fetchedOf = ({ id, carry }: ImportJob): FetchedImport => {
  if (!carry) throw new Error(`${id} has nothing to deliver`)
  return carry
}

const fileOf = (env: Env, job: ImportJob, media: FetchedImport, settings: StorageSettings): FileToDeliver => ({
  key: objectKey({
    pathPrefix: settings.pathPrefix ?? '',
    storagePath: job.request.storagePath ?? '',
    filename: media.filename,
  }),
  sizeBytes: media.fileSizeBytes,
  facts: {
    contentType: media.contentType,
    contentDisposition: contentDisposition(media.filename, { type: 'inline' }),
    storageClass: job.request.storageClass ?? settings.storageClass ?? undefined,
    sha256: media.sha256,
  },
  read: (offset, length) => readStored(env.MEDIA, mediaKey(job.id, media.stored.attempt), { offset, length }),
})

const readStored = async (
  media: R2Bucket,
  key: string,
  range: { offset: number; length: number },
): Promise<ReadableStream<Uint8Array>> => {
  const object = await media.get(key, { range })
  if (!object) throw new Error(`${key} is not stored`)
  return object.body
}

/** What another run began somewhere else, before the bucket was changed, is of no use here. */
const stateFor = async (env: Env, settings: StorageSettings, place: Place, note: Note | null) => {
  if (!note || isSamePlace(note.place, place)) return note?.state ?? null
  await abandon(env, settings, note)
  return null
}

/** True when nothing is left in the bucket, or nobody may look any more. */
const cleanUp = async (env: Env, accountId: string, text: string): Promise<boolean> => {
  const note = readNote(text)
  const settings = await unsealStorage(env, accountId)
  return !note || !settings || (await abandon(env, settings, note))
}

const abandon = (env: Env, settings: StorageSettings, { place, state }: Note): Promise<boolean> => {
  const bucket = openBucket(env, { ...settings, endpoint: place.endpoint, bucket: place.bucket })
  return abandonCopy(bucket, place.key, state, { ...patience, save: async () => {} })
}
