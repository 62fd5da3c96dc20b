import { toHex, utf8 } from '../../domain/encoding.ts'
import type { Bucket } from './s3/bucket.ts'
import { type BucketFailure, BucketRefusal } from './s3/bucket-refusal.ts'
import { payloadOf } from './s3/payload.ts'

export type AccessStep = 'write' | 'read' | 'remove'

export type AccessCheck = { ok: true } | { ok: false; step: AccessStep; failure: BucketFailure }

const CONTENT = 'Haul wrote this file to check its access to this bucket. It can be deleted.\n'

/** Writes, reads and removes a small object: the permissions that a bucket copy needs. */
export const checkAccess = async (bucket: Bucket, key: string): Promise<AccessCheck> => {
  const written = await attempt('write', () => write(bucket, key))
  if (!written.ok) return written
  const read = await attempt('read', () => readBack(bucket, key))
  // Also after a failed read, so that the object is not left behind.
  const removed = await attempt('remove', () => bucket.remove(key))
  return read.ok ? removed : read
}

const attempt = async (step: AccessStep, act: () => Promise<void>): Promise<AccessCheck> => {
  try {
    await act()
    return { ok: true }
  } catch (error) {
    if (error instanceof BucketRefusal) return { ok: false, step, failure: error.toValue() }
    throw error
  }
}

const write = async (bucket: Bucket, key: string): Promise<void> => {
  const payload = await payloadOf(utf8(CONTENT))
  const metadata = { contentType: 'text/plain', contentDisposition: 'inline', sha256: toHex(payload.digest) }
  await bucket.put(key, payload, metadata, false)
}

const readBack = async (bucket: Bucket, key: string): Promise<void> => {
  if ((await bucket.read(key)) === CONTENT) return
  throw new BucketRefusal('STORAGE_CORRUPTED', { status: 200, serverMessage: 'the content read back is different.' })
}
