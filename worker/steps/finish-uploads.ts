import type { Uploaded } from '../../domain/protocol/protocol.ts'
import { finishUpload } from '../media/presigned-uploads.ts'
import type { Lease } from './lease-token.ts'

/**
 * Finishes the uploads of a step before the account is told, so that a completed job always has its objects. False: the
 * lease is lost, and its end has discarded them.
 */
export const finishUploads = async (env: Env, lease: Lease, uploads: Uploaded[]): Promise<boolean> => {
  try {
    for (const upload of uploads) await finishUpload(env.MEDIA, upload)
    return true
  } catch (cause) {
    if (await env.ACCOUNTS.getByName(lease.accountId).holdsLease(lease)) throw cause
    return false
  }
}
