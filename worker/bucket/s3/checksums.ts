import { fromBase64, toBase64 } from '../../../domain/encoding.ts'
import type { ObjectHead, UploadedPart } from './bucket.ts'
import { BucketRefusal } from './bucket-refusal.ts'
import { type CopyRun, type FileToCopy, withRetries } from './copy-state.ts'
import { sha256 } from './payload.ts'

/** Sends checksum headers first. Repeats the request without them if the server does not support them. */
export const negotiateChecksums = async <T>(
  { runtime }: CopyRun,
  act: (checksums: boolean) => Promise<T>,
): Promise<T> => {
  try {
    return await withRetries(runtime, runtime.signal, () => act(true))
  } catch (error) {
    const isUnsupported =
      error instanceof BucketRefusal && error.code === 'STORAGE_REFUSED' && [400, 501].includes(error.status)
    if (!isUnsupported) throw error
    return await withRetries(runtime, runtime.signal, () => act(false))
  }
}

/** S3's checksum of a multipart object: the SHA-256 of the parts' SHA-256s. null if the server stores none. */
export const checksumOfParts = async (parts: UploadedPart[]): Promise<string | null> => {
  const digests = parts.flatMap(({ checksum }) => (checksum ? [...fromBase64(checksum)] : []))
  return digests.length === parts.length * 32 ? toBase64(await sha256(Uint8Array.from(digests))) : null
}

/** Why the stored object is not our file, or null. */
const mismatch = (
  stored: ObjectHead | null,
  { sizeBytes, metadata }: FileToCopy,
  checksum: string | null,
): string | null => {
  if (!stored) return 'the file does not exist after the upload.'
  if (stored.sizeBytes !== sizeBytes) return `it reports ${stored.sizeBytes} bytes, but ${sizeBytes} were sent.`
  if (stored.sha256 && stored.sha256 !== metadata.sha256) return 'the key was overwritten with another file.'
  if (!stored.checksum || !checksum) return null
  return stored.checksum.replace(/-\d+$/, '') === checksum ? null : 'its checksum differs.'
}

/** `checksum` is the expected one in base64, or null if the server stores none. */
export const verifyStored = async ({ bucket, file, runtime }: CopyRun, checksum: string | null): Promise<void> => {
  await withRetries(runtime, runtime.signal, async () => {
    const stored = await bucket.head(file.key, checksum !== null, runtime.signal)
    const serverMessage = mismatch(stored, file, checksum)
    if (serverMessage) throw new BucketRefusal('STORAGE_CORRUPTED', { status: 200, serverMessage })
  })
}

/** Only an object with our `x-amz-meta-sha256` counts: another one may be the caller's. */
export const isAlreadyCopied = async ({ bucket, file, runtime }: CopyRun): Promise<boolean> => {
  const stored = await bucket.head(file.key, false, runtime.signal)
  return stored?.sha256 === file.metadata.sha256 && mismatch(stored, file, null) === null
}
