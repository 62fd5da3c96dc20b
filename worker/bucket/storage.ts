import { objectKey } from '../../domain/bucket/object-name.ts'
import {
  type KeptStorage,
  STORAGE_RECORD,
  type StorageSettings,
  shownStorage,
} from '../../domain/bucket/storage-settings.ts'
import { accepted, type Result, refused } from '../../domain/codes/refusals.ts'
import { findCredential, putCredential } from '../directory.ts'
import { configOf, sealerOf } from '../env.ts'
import { createOutbound } from '../outbound.ts'
import { checkAccess } from './access-check.ts'
import { type Bucket, createBucket } from './s3/bucket.ts'
import type { BucketOptions } from './s3/connection.ts'

/** Saves an account's bucket settings, sealed, after a check that the bucket grants the access they need. */
export const saveStorage = async (
  env: Env,
  accountId: string,
  settings: StorageSettings,
): Promise<Result<KeptStorage>> => {
  const checked = await checkStorage(env, settings)
  if (!checked.ok) return checked
  const saved = { shown: shownStorage(settings), updatedAt: Date.now() }
  // Everything is sealed, not only the secret: with write access to D1 an attacker could redirect a caller's files.
  const sealed = await (await sealerOf(env)).seal(JSON.stringify(settings), { accountId, record: STORAGE_RECORD })
  const shown = JSON.stringify(saved.shown)
  await putCredential(env.DB, accountId, { record: STORAGE_RECORD, sealed, shown, updatedAt: saved.updatedAt })
  return accepted(saved)
}

/** Contains the secret access key. Only for bucket copies, never for API responses. */
export const unsealStorage = async (env: Env, accountId: string): Promise<StorageSettings | null> => {
  const credential = await findCredential(env.DB, accountId, STORAGE_RECORD)
  if (!credential) return null
  const opened = await (await sealerOf(env)).unseal(credential.sealed, { accountId, record: STORAGE_RECORD })
  return JSON.parse(opened) as StorageSettings
}

/** The address is checked for every request, because a name may resolve to another address later. */
export const openBucket = (env: Env, settings: StorageSettings, timeouts: BucketOptions = {}): Bucket => {
  const outbound = createOutbound(configOf(env))
  return createBucket(settings, { fetch: (request) => outbound.fetch(request), ...timeouts })
}

/** Short, because the caller is waiting for the response. */
const CHECK_TIMEOUT_MS = 10_000

const checkStorage = async (env: Env, settings: StorageSettings): Promise<Result<null>> => {
  const filename = `haul-proof-${crypto.randomUUID()}.txt`
  const key = objectKey({ pathPrefix: settings.pathPrefix ?? '', filename })
  const timeouts = { timeoutMs: CHECK_TIMEOUT_MS, longTimeoutMs: CHECK_TIMEOUT_MS }
  const denied = await checkAccess(openBucket(env, settings, timeouts), key)
  if (!denied) return accepted(null)
  const { code, message, serverMessage } = denied.refusal
  // The check starts no multipart upload.
  const refusalCode = code === 'STORAGE_UPLOAD_GONE' ? 'STORAGE_REFUSED' : code
  return refused(refusalCode, { step: denied.step, bucketSaid: serverMessage }, message)
}
