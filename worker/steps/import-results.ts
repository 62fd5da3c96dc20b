import type { StoredMedia } from '../../domain/jobs/job.ts'
import { mediaKey, thumbnailKey } from '../../domain/media/media-keys.ts'
import type { FetchedMedia } from '../../domain/protocol/protocol.ts'
import { discard } from '../media/presigned-uploads.ts'
import { finishUploads } from './finish-uploads.ts'
import type { Lease } from './lease-token.ts'

/**
 * The end of an import's `fetch` step, in one call to the account. The upload is finished first, so that a completed
 * job always has its file. That is safe under a lost lease: the token names the attempt, whose keys no other attempt
 * has, and what was stored is discarded again. False: the lease is lost.
 */
export const finishFetch = async (
  env: Env,
  lease: Lease,
  { media, thumbnail, facts }: FetchedMedia,
): Promise<boolean> => {
  const account = env.ACCOUNTS.getByName(lease.accountId)
  const stored: StoredMedia = { attempt: lease.attempt, hasThumbnail: thumbnail !== null }
  if (!(await finishUploads(env, lease, thumbnail ? [media, thumbnail] : [media]))) return false
  const verdict = await account.finishFetch(lease, { facts, stored })
  if (verdict === 'lost') {
    const keys = [mediaKey(lease.jobId, lease.attempt), thumbnailKey(lease.jobId, lease.attempt)]
    await discard(
      env.MEDIA,
      keys.map((key) => ({ key, uploadId: null })),
    )
  }
  return verdict === 'accepted'
}
