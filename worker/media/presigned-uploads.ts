import { AwsV4Signer } from 'aws4fetch'
import { type AttemptNames, mediaKey, thumbnailKey, tracksKey, uploadKey } from '../../domain/media/media-keys.ts'
import type {
  PartsPlan,
  PartsRequest,
  PlannedUploads,
  Uploaded,
  UploadPlan,
  UploadRequest,
} from '../../domain/protocol/protocol.ts'
import { partsOf, type UploadPart } from '../../domain/uploads/parts.ts'
import type { Upload } from '../../domain/uploads/upload.ts'
import type { Config } from '../env.ts'

/** Media bytes never pass through the Worker, and the container never has R2 credentials. */
const MiB = 1024 * 1024
/** Each part is an operation, so parts are large. R2 requires equal ones, and at most 10,000 of them: 320 GB. */
const PART_BYTES = 32 * MiB
const UPLOAD_URL_SECONDS = 3_600

export const planUpload = async (
  bucket: R2Bucket,
  config: Config,
  key: string,
  { contentType, sizeBytes }: UploadRequest,
): Promise<UploadPlan> => {
  if (sizeBytes !== null && sizeBytes <= PART_BYTES) return { kind: 'single', ...(await planObject(config, key)) }
  const { uploadId } = await bucket.createMultipartUpload(key, { httpMetadata: { contentType } })
  const count = sizeBytes === null ? UNKNOWN_PARTS : Math.min(MAX_PLANNED_PARTS, Math.ceil(sizeBytes / PART_BYTES))
  const { urls } = await planParts(config, { key, uploadId, firstPart: 1, count })
  return { kind: 'multipart', key, uploadId, partSizeBytes: PART_BYTES, urls }
}

const planObject = async (config: Config, key: string): Promise<{ key: string; url: string }> => ({
  key,
  url: await presignedPut(config, key),
})

/** Of a fetch. */
export const plannedUploads = async (
  config: Config,
  jobId: string,
  names: AttemptNames,
  { hasCaptions }: { hasCaptions: boolean },
): Promise<PlannedUploads> => ({
  media: await planObject(config, mediaKey(jobId, names)),
  thumbnail: await planObject(config, thumbnailKey(jobId, names)),
  ...(hasCaptions && { tracks: await planObject(config, tracksKey(jobId, 'fetch', names)) }),
  maxBytes: PART_BYTES,
})

/** URLs that come with the plan. 20 parts are 640 MiB of a file of known size. */
const MAX_PLANNED_PARTS = 20
const UNKNOWN_PARTS = 4

export const planParts = async (
  config: Config,
  { key, uploadId, firstPart, count }: PartsRequest,
): Promise<PartsPlan> => {
  const numbers = Array.from({ length: count }, (_, index) => firstPart + index)
  return { urls: await Promise.all(numbers.map((number) => presignedPut(config, key, { uploadId, number }))) }
}

/** Completes an upload of the container. Throws unless the stored object has the reported size. */
export const finishUpload = async (bucket: R2Bucket, { key, uploadId, parts, sizeBytes }: Uploaded): Promise<void> => {
  const isComplete =
    uploadId !== null && parts !== null
      ? (await completeMultipart(bucket, { key, uploadId, sizeBytes }, parts)) === 'complete'
      : await isStored(bucket, key, sizeBytes)
  if (!isComplete) throw new Error(`R2 does not have ${key} with the ${sizeBytes} bytes that were reported`)
}

/** `incomplete`: storage lacks a part, or has another one. The parts that it has stay. `gone`: it has none any more. */
export type Completion = 'complete' | 'incomplete' | 'gone'

/** https://developers.cloudflare.com/r2/api/error-codes/: EntityTooSmall, InvalidPart, the problem with the upload. */
const INCOMPLETE = ['10011', '10025', '10048']
/** The upload was completed or aborted before, or never existed. */
const NO_SUCH_UPLOAD = '10024'

/** Puts the parts together. If that was done before, the answer is `complete`, whatever parts are named. */
export const completeMultipart = async (
  bucket: R2Bucket,
  { key, uploadId, sizeBytes }: { key: string; uploadId: string; sizeBytes: number },
  etags: string[],
): Promise<Completion> => {
  const parts = etags.map((etag, index) => ({ partNumber: index + 1, etag: etag.replaceAll('"', '') }))
  try {
    await bucket.resumeMultipartUpload(key, uploadId).complete(parts)
  } catch (cause) {
    if (await isStored(bucket, key, sizeBytes)) return 'complete'
    const code = codeOf(cause)
    if (INCOMPLETE.includes(code)) return 'incomplete'
    if (code !== NO_SUCH_UPLOAD) throw cause
  }
  return (await isStored(bucket, key, sizeBytes)) ? 'complete' : 'gone'
}

const isStored = async (bucket: R2Bucket, key: string, sizeBytes: number): Promise<boolean> =>
  (await bucket.head(key))?.size === sizeBytes

const codeOf = (cause: unknown): string => /\((\d{5})\)$/.exec(cause instanceof Error ? cause.message : '')?.[1] ?? ''

/** R2 deletes at most this many objects at once. */
const MAX_DELETED = 1_000

/** Idempotent. Throws when an upload may still be there, unless `isLastAbort`. */
export const discard = async (
  bucket: R2Bucket,
  objects: { key: string; uploadId: string | null; isObjectKept?: boolean }[],
  isLastAbort = false,
): Promise<void> => {
  const failures: unknown[] = []
  for (const { key, uploadId } of objects) {
    if (uploadId !== null) await abortUpload(bucket, key, uploadId).catch((cause) => failures.push(cause))
  }
  const deleted = objects.filter(({ isObjectKept }) => !isObjectKept)
  const keys = [...new Set(deleted.map(({ key }) => key))]
  for (let start = 0; start < keys.length; start += MAX_DELETED) {
    await bucket.delete(keys.slice(start, start + MAX_DELETED))
  }
  if (failures.length === 0) return
  if (!isLastAbort) throw failures[0]
  console.warn('uploads were not aborted', keys, `${failures[0]}`)
}

const abortUpload = async (bucket: R2Bucket, key: string, uploadId: string): Promise<void> => {
  try {
    await bucket.resumeMultipartUpload(key, uploadId).abort()
  } catch (cause) {
    if (codeOf(cause) !== NO_SUCH_UPLOAD) throw cause
  }
}

/** Aborts an upload that nobody has been told of. If this fails, R2 removes it after seven days. */
export const abandonUpload = (bucket: R2Bucket, key: string, uploadId: string): Promise<void> =>
  abortUpload(bucket, key, uploadId).catch((cause) => console.warn('an upload was not aborted', key, `${cause}`))

/** Each is for exactly as many bytes as its part has: storage refuses a request of another length. */
export const presignedParts = (
  config: Config,
  publicUrl: string,
  upload: Upload,
  now: number,
): Promise<(UploadPart & { url: string })[]> => {
  const { id, multipartId, sizeBytes, expiresAt } = upload
  const seconds = Math.max(1, Math.ceil((expiresAt - now) / 1_000))
  return Promise.all(
    partsOf(sizeBytes).map(async (part) => {
      const url = await presigned(config, uploadKey(id, upload), {
        method: 'PUT',
        seconds,
        query: { partNumber: `${part.number}`, uploadId: multipartId ?? '' },
        headers: { 'content-length': `${part.sizeBytes}` },
      })
      return { ...part, url: forCallers(config, publicUrl, url) }
    }),
  )
}

/** The server at `publicUrl` passes the request on to the URL that was signed. */
const forCallers = ({ mediaS3, UPLOADS_PATH }: Config, publicUrl: string, signed: string): string =>
  UPLOADS_PATH === null ? signed : publicUrl + UPLOADS_PATH + signed.slice(mediaS3.endpoint.length)

const presignedPut = (config: Config, key: string, part?: { uploadId: string; number: number }): Promise<string> =>
  presigned(config, key, {
    method: 'PUT',
    seconds: UPLOAD_URL_SECONDS,
    query: part ? { partNumber: `${part.number}`, uploadId: part.uploadId } : {},
  })

export const presignedGet = (config: Config, key: string, seconds: number): Promise<string> =>
  presigned(config, key, { method: 'GET', seconds, query: {} })

interface PresignedRequest {
  method: 'GET' | 'PUT'
  seconds: number
  query: Record<string, string>
  /** Headers that the request must have as they are here. */
  headers?: Record<string, string>
}

const presigned = async (
  { mediaS3: { endpoint, accessKeyId, secretAccessKey } }: Pick<Config, 'mediaS3'>,
  key: string,
  { method, seconds, query, headers = {} }: PresignedRequest,
): Promise<string> => {
  const url = new URL(`${endpoint}/${key}`)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  url.searchParams.set('X-Amz-Expires', `${seconds}`)
  const keys = { accessKeyId, secretAccessKey, service: 's3', region: 'auto', cache: signingKeys }
  const request = { url: url.href, method, headers, signQuery: true, allHeaders: true }
  return (await new AwsV4Signer({ ...keys, ...request }).sign()).url.href
}

/** The key of a day takes four HMACs. It is the same for every part of an upload. */
const signingKeys = new Map<string, ArrayBuffer>()
