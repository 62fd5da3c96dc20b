import { filename } from '../../domain/bucket/object-name.ts'
import type { FetchedImport, ImportRequest, StoredMedia } from '../../domain/jobs/job.ts'
import { mediaKeys } from '../../domain/media/media-keys.ts'
import { filenameOf } from '../../domain/media/safe-filename.ts'
import { downloadCost } from '../../domain/money/prices.ts'
import type { FetchedMedia } from '../../domain/protocol/protocol.ts'
import { finishUpload } from '../media/presigned-uploads.ts'
import type { Lease } from './lease-token.ts'

/**
 * The end of an import's `fetch` step: the job is completed, or moves on to `deliver`, which copies the file to the
 * caller's bucket. The upload is finished first, so that a completed job always has its file. False: the lease is lost.
 */
export const finishFetch = async (
  env: Env,
  lease: Lease,
  { media, thumbnail, facts }: FetchedMedia,
): Promise<boolean> => {
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
  if (job.request.store) return account.advance(lease, { next: 'deliver', carry: result, holdMicros: cost, keys })
  const finished = { kind: 'import', result: { ...result, bucket: null } } as const
  return account.complete(lease, { finished, charge: cost, keys })
}

const nameOf = ({ storageFilename }: ImportRequest, title: string, extension: string): string =>
  storageFilename === null ? filenameOf(title, extension) : filename(storageFilename, extension)
