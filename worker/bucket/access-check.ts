import { toHex, utf8 } from '../../domain/encoding.ts'
import type { Bucket } from './s3/bucket.ts'
import { BucketRefusal } from './s3/bucket-refusal.ts'
import { payloadOf } from './s3/payload.ts'

interface DeniedAccess {
  step: 'write' | 'read' | 'remove'
  refusal: BucketRefusal
}

const CONTENT = 'Haul wrote this file to check its access to this bucket. It can be deleted.\n'

/** Writes, reads and removes a small object, to check what a copy may do. null: everything that it needs. */
export const checkAccess = async (bucket: Bucket, key: string): Promise<DeniedAccess | null> => {
  const payload = await payloadOf(utf8(CONTENT))
  const metadata = { contentType: 'text/plain', contentDisposition: 'inline', sha256: toHex(payload.digest) }
  const notWritten = await attempt('write', () => bucket.put(key, payload, metadata, false))
  if (notWritten) return notWritten
  const notRead = await attempt('read', async () => {
    const problem = { status: 200, serverMessage: 'the content read back is different.' }
    if ((await bucket.read(key)) !== CONTENT) throw new BucketRefusal('STORAGE_CORRUPTED', problem)
  })
  // Also after a failed read, so that the object is not left behind.
  const notRemoved = await attempt('remove', () => bucket.remove(key))
  return notRead ?? notRemoved
}

const attempt = async (step: DeniedAccess['step'], act: () => Promise<void>): Promise<DeniedAccess | null> => {
  try {
    await act()
    return null
  } catch (error) {
    if (error instanceof BucketRefusal) return { step, refusal: error }
    throw error
  }
}
