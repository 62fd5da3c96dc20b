import type { FetchedMedia, StepOrder } from '../../container/protocol.ts'
import type { FetchedImport, ImportJob, ImportRequest, StoredMedia } from '../domain/jobs/job.ts'
import { importStatus, type Links } from '../domain/jobs/view.ts'
import { filenameOf } from '../domain/media/filename.ts'
import { mediaKeys } from '../domain/media/media-keys.ts'
import { downloadCost } from '../domain/money/prices.ts'
import { filename } from '../domain/storage/object-name.ts'
import { type Callback, fetchOrder } from '../engine/client.ts'
import type { Lease } from '../engine/leases.ts'
import { configOf, signingKey } from '../env.ts'
import { mediaLink, THUMBNAIL } from '../media/links.ts'
import { finishUpload } from '../media/uploads.ts'

/**
 * The way of an import: `fetch` in the container brings the file into storage, `deliver` copies it into the
 * caller's bucket where that was asked for, and the account settles.
 */
export const importOrder = (job: ImportJob, callback: Callback): StepOrder => fetchOrder(job, callback)

/** The bytes first, then the account: a completed job always has its file. False: the lease is lost. */
export const fetched = async (env: Env, lease: Lease, { media, thumbnail, facts }: FetchedMedia): Promise<boolean> => {
  const account = env.ACCOUNTS.getByName(lease.accountId)
  const job = await account.leasedJob(lease)
  if (job?.kind !== 'import') return false
  await finishUpload(env.MEDIA, media)
  if (thumbnail) await finishUpload(env.MEDIA, thumbnail)
  const stored: StoredMedia = { attempt: lease.attempt, hasThumbnail: thumbnail !== null }
  const { extension, sizeBytes, ...rest } = facts
  const result: FetchedImport = {
    ...rest,
    filename: nameOf(job.request, facts.title, extension),
    fileSizeBytes: sizeBytes,
    stored,
  }
  const cost = downloadCost(facts.downloadedBytes)
  const keys = mediaKeys(lease.jobId, stored)
  if (job.request.store) return account.advance(lease, { next: 'deliver', carry: result, owing: cost, keys })
  const finished = { kind: 'import', result: { ...result, bucket: null } } as const
  return account.complete(lease, { finished, charge: cost, keys })
}

const nameOf = ({ storageFilename }: ImportRequest, title: string, extension: string): string =>
  storageFilename === null ? filenameOf(title, extension) : filename(storageFilename, extension)

export const presentImport = async (env: Env, job: ImportJob): Promise<object> =>
  importStatus(job, await linksOf(env, job))

const linksOf = async (env: Env, { id, result }: ImportJob): Promise<Links | null> => {
  if (!result) return null
  const key = await signingKey(env, 'media-links')
  const { publicUrl } = configOf(env)
  const link = (filename: string) =>
    mediaLink(key, publicUrl, { jobId: id, filename, attempt: result.stored.attempt, expiresAt: result.expiresAt })
  return {
    media: await link(result.filename),
    thumbnail: result.stored.hasThumbnail ? await link(THUMBNAIL) : null,
  }
}
