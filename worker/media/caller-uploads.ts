import { uploadKey } from '../../domain/media/media-keys.ts'
import { partsOf, type UploadPart } from '../../domain/uploads/parts.ts'
import type { Upload } from '../../domain/uploads/upload.ts'
import type { Config } from '../env.ts'
import { presigned } from './presigned-uploads.ts'

/** A part and where its bytes are sent to. */
export interface PresignedPart extends UploadPart {
  url: string
}

/**
 * The URLs of a pending upload, valid for as long as it is pending. Each is for exactly as many bytes as its part has:
 * storage refuses a request of another length before it stores anything, so a caller cannot store more than it said.
 */
export const presignedParts = (
  config: Config,
  publicUrl: string,
  { id, attempt, multipartId, sizeBytes, expiresAt }: Upload,
  now: number,
): Promise<PresignedPart[]> => {
  const seconds = Math.max(1, Math.ceil((expiresAt - now) / 1_000))
  return Promise.all(
    partsOf(sizeBytes).map(async (part) => {
      const url = await presigned(config, uploadKey(id, attempt), {
        method: 'PUT',
        seconds,
        query: { partNumber: `${part.number}`, uploadId: multipartId ?? '' },
        headers: { 'content-length': `${part.sizeBytes}` },
      })
      return { ...part, url: config.uploadsToPublicUrl ? atOrigin(url, publicUrl) : url }
    }),
  )
}

/** The server at this origin passes the request on with the host that the signature is for. */
const atOrigin = (url: string, origin: string): string => {
  const { pathname, search } = new URL(url)
  return new URL(pathname + search, origin).href
}

export const startMultipart = async (bucket: R2Bucket, upload: Pick<Upload, 'id' | 'attempt'>): Promise<string> =>
  (await bucket.createMultipartUpload(uploadKey(upload.id, upload.attempt))).uploadId

/** `incomplete`: storage lacks a part, or has another one. The parts that it has stay. `gone`: it has none any more. */
export type Completion = 'complete' | 'incomplete' | 'gone'

/** https://developers.cloudflare.com/r2/api/error-codes/: EntityTooSmall, InvalidPart, the problem with the upload. */
const INCOMPLETE = ['10011', '10025', '10048']
const NO_SUCH_UPLOAD = '10024'

/** Puts the parts together. If that was done before, the answer is `complete`, whatever parts are named. */
export const completeMultipart = async (bucket: R2Bucket, upload: Upload, etags: string[]): Promise<Completion> => {
  const key = uploadKey(upload.id, upload.attempt)
  if (upload.multipartId === null) return 'gone'
  if (await isStored(bucket, key, upload)) return 'complete'
  const parts = etags.map((etag, index) => ({ partNumber: index + 1, etag }))
  try {
    await bucket.resumeMultipartUpload(key, upload.multipartId).complete(parts)
  } catch (cause) {
    // Another request may have completed it at the same time.
    if (await isStored(bucket, key, upload)) return 'complete'
    const code = /\((\d{5})\)$/.exec(cause instanceof Error ? cause.message : '')?.[1] ?? ''
    if (INCOMPLETE.includes(code)) return 'incomplete'
    if (code === NO_SUCH_UPLOAD) return 'gone'
    throw cause
  }
  return (await isStored(bucket, key, upload)) ? 'complete' : 'gone'
}

const isStored = async (bucket: R2Bucket, key: string, { sizeBytes }: Upload): Promise<boolean> =>
  (await bucket.head(key))?.size === sizeBytes
