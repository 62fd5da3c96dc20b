import type { StoredObject } from './client.ts'
import { patiently } from './patience.ts'
import { BucketRefusal } from './refusal.ts'
import type { FileToDeliver, Run } from './run.ts'

/** The bucket's own account of what it holds now: null, or why that is not our file. */
const contradiction = (
  stored: StoredObject | null,
  { sizeBytes, facts }: FileToDeliver,
  checksum: string | null,
): string | null => {
  if (!stored) return 'the file is not there after its upload.'
  if (stored.sizeBytes !== sizeBytes) return `it reports ${stored.sizeBytes} bytes where ${sizeBytes} were sent.`
  if (stored.sha256 && stored.sha256 !== facts.sha256) return 'another file was put under the same key meanwhile.'
  if (!stored.checksum || !checksum) return null
  return stored.checksum.replace(/-\d+$/, '') === checksum ? null : 'its checksum differs.'
}

/** `checksum` is what the server should have, in base64, where it keeps any. */
export const verify = async ({ bucket, file, runtime }: Run, checksum: string | null): Promise<void> => {
  await patiently(runtime, runtime.signal, async () => {
    const stored = await bucket.head(file.key, checksum !== null, runtime.signal)
    const words = contradiction(stored, file, checksum)
    if (words) throw new BucketRefusal('STORAGE_CORRUPTED', { status: 200, words })
  })
}

/** Whether our file is there already. Without our mark on it, it is not known as ours. */
export const isDelivered = async ({ bucket, file, runtime }: Run): Promise<boolean> => {
  const stored = await bucket.head(file.key, false, runtime.signal)
  return stored?.sha256 === file.facts.sha256 && contradiction(stored, file, null) === null
}
