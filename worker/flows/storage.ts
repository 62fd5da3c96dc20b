import { type Bucket, createBucket } from '../delivery/s3/client.ts'
import { proveBucket } from '../delivery/storage-proof.ts'
import { findCredential, putCredential } from '../directory.ts'
import { accepted, type RefusalCode, type Result, refused } from '../domain/codes/refusals.ts'
import { objectKey } from '../domain/storage/object-name.ts'
import { type KeptStorage, STORAGE_RECORD, type StorageSettings, shownStorage } from '../domain/storage/settings.ts'
import { configOf, sealerOf } from '../env.ts'
import { createOutbound } from '../outbound.ts'

/** An account's own bucket: proven before it is kept, sealed while it is. */
export const keepStorage = async (
  env: Env,
  accountId: string,
  settings: StorageSettings,
): Promise<Result<KeptStorage>> => {
  const proven = await prove(env, settings)
  if (!proven.ok) return proven
  const kept = { shown: shownStorage(settings), updatedAt: Date.now() }
  // All of it is sealed: whoever could write to D1 could else lead a caller's files to another place.
  const sealed = await (await sealerOf(env)).seal(JSON.stringify(settings), { accountId, record: STORAGE_RECORD })
  const shown = JSON.stringify(kept.shown)
  await putCredential(env.DB, accountId, { record: STORAGE_RECORD, sealed, shown, updatedAt: kept.updatedAt })
  return accepted(kept)
}

/** With its secret: for a delivery, and for nothing that answers. */
export const unsealStorage = async (env: Env, accountId: string): Promise<StorageSettings | null> => {
  const kept = await findCredential(env.DB, accountId, STORAGE_RECORD)
  if (!kept) return null
  const opened = await (await sealerOf(env)).unseal(kept.sealed, { accountId, record: STORAGE_RECORD })
  return JSON.parse(opened) as StorageSettings
}

/** Every request to it passes the guard, each time: a name may lead elsewhere tomorrow. */
export const openBucket = (env: Env, settings: StorageSettings, timeouts: Timeouts = {}): Bucket => {
  const outbound = createOutbound(configOf(env))
  return createBucket(settings, { fetch: (request) => outbound.fetch(request), ...timeouts })
}

interface Timeouts {
  timeoutMs?: number
  longTimeoutMs?: number
}

/** Somebody waits for the answer. */
const PROOF_TIMEOUT_MS = 10_000

const prove = async (env: Env, settings: StorageSettings): Promise<Result<null>> => {
  const filename = `haul-proof-${crypto.randomUUID()}.txt`
  const key = objectKey({ pathPrefix: settings.pathPrefix ?? '', filename })
  const timeouts = { timeoutMs: PROOF_TIMEOUT_MS, longTimeoutMs: PROOF_TIMEOUT_MS }
  const proof = await proveBucket(openBucket(env, settings, timeouts), key)
  if (proof.ok) return accepted(null)
  const { code, message, words } = proof.failure
  return refused(refusalCode(code), { step: proof.step, bucketSaid: words }, message)
}

/** Of all that a bucket may say, only this one can't be said to a proof, which begins no upload. */
const refusalCode = (code: RefusalCode | 'STORAGE_UPLOAD_GONE'): RefusalCode =>
  code === 'STORAGE_UPLOAD_GONE' ? 'STORAGE_REFUSED' : code
