import { createHash } from 'node:crypto'
import type { PendingUpload } from '../../../../client/src/index.ts'
import { smallSource } from '../import.ts'
import type { Trial } from '../trial.ts'
import { upload } from '../upload.ts'

/**
 * The URL of a part does not sign `x-amz-copy-source`. If the storage obeys that header, a caller who knows the key of an
 * object can put its bytes into his own upload.
 */
export const copySource: Trial = {
  title: 'canary: x-amz-copy-source on the URL of a part',
  run: async (canary) => {
    const { baseUrl, env, haul, cleanUps } = canary
    const file = await (await fetch(smallSource(baseUrl, env))).blob()
    const other = await upload(canary, file, { filename: 'canary.mp3' })
    const bytes = Buffer.from('bytes that are sent')
    const body = { filename: 'canary.mp3', sizeBytes: bytes.length }
    const { uploadId, parts } = await haul.request<PendingUpload>('POST', '/uploads', { body })
    cleanUps.push(() => haul.uploads.delete(uploadId))

    const headers = { 'x-amz-copy-source': new URL(other.address).pathname }
    const response = await fetch(parts[0]?.url ?? '', { method: 'PUT', body: bytes, headers })
    const text = await response.text()
    if (REFUSED.includes(response.status)) return `refused with ${response.status}`
    const etag = response.headers.get('etag')?.replaceAll('"', '')
    const isIgnored = etag === createHash('md5').update(bytes).digest('hex')
    if (isIgnored) return 'ignored: the part has the bytes that were sent'
    throw new Error(
      `The storage obeys x-amz-copy-source (${response.status} ${text.slice(0, 200)}): whoever knows the key of an object can copy it. Keys cannot be guessed (docs/decisions/0061). Make sure that nothing of yours logs presigned URLs, and tell the maintainers before callers come.`,
    )
  },
}

/** The signature is wrong, or the header is not implemented. A 404 would mean that the object was looked for. */
const REFUSED = [400, 403, 501]
