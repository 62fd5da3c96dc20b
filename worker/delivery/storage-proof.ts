import type { Bucket } from './s3/client.ts'
import { hex, payloadOf, utf8 } from './s3/payload.ts'
import { type BucketFailure, BucketRefusal } from './s3/refusal.ts'

export type ProofStep = 'write' | 'read' | 'remove'

export type StorageProof = { ok: true } | { ok: false; step: ProofStep; failure: BucketFailure }

const WORDS = 'Haul wrote this to prove that it may write here. It can be removed.\n'

/** Writes, reads back and removes a small object: what a delivery will need, tried before anyone relies on it. */
export const proveBucket = async (bucket: Bucket, key: string): Promise<StorageProof> => {
  const written = await attempt('write', () => write(bucket, key))
  if (!written.ok) return written
  const read = await attempt('read', () => readBack(bucket, key))
  // Also when it could not be read: nothing of ours stays behind.
  const removed = await attempt('remove', () => bucket.remove(key))
  return read.ok ? removed : read
}

const attempt = async (step: ProofStep, act: () => Promise<void>): Promise<StorageProof> => {
  try {
    await act()
    return { ok: true }
  } catch (error) {
    if (error instanceof BucketRefusal) return { ok: false, step, failure: error.toValue() }
    throw error
  }
}

const write = async (bucket: Bucket, key: string): Promise<void> => {
  const payload = await payloadOf(utf8(WORDS))
  const facts = { contentType: 'text/plain', contentDisposition: 'inline', sha256: hex(payload.digest) }
  await bucket.put(key, payload, facts, false)
}

const readBack = async (bucket: Bucket, key: string): Promise<void> => {
  if ((await bucket.read(key)) === WORDS) return
  throw new BucketRefusal('STORAGE_CORRUPTED', { status: 200, words: 'it gave back something else.' })
}
