import { AwsV4Signer } from 'aws4fetch'
import type { PartsPlan, PartsRequest, Uploaded, UploadPlan, UploadRequest } from '../../domain/protocol/protocol.ts'
import type { Config } from '../env.ts'

/**
 * The container uploads directly to R2 with presigned URLs, so media bytes never pass through the Worker and the
 * container never has R2 credentials.
 */
const MiB = 1024 * 1024
const MAX_SINGLE_PUT_BYTES = 8 * MiB
const UPLOAD_URL_SECONDS = 3_600

export const planUpload = async (
  bucket: R2Bucket,
  config: Config,
  key: string,
  { contentType, sizeBytes }: UploadRequest,
): Promise<UploadPlan> => {
  if (sizeBytes !== null && sizeBytes <= MAX_SINGLE_PUT_BYTES) {
    return { kind: 'single', key, url: await presignedPut(config, key) }
  }
  const { uploadId } = await bucket.createMultipartUpload(key, { httpMetadata: { contentType } })
  const partSizeBytes = partSizeFor(sizeBytes)
  const count = sizeBytes === null ? UNKNOWN_PARTS : Math.min(MAX_PLANNED_PARTS, Math.ceil(sizeBytes / partSizeBytes))
  const { urls } = await planParts(config, { key, uploadId, firstPart: 1, count })
  return { kind: 'multipart', key, uploadId, partSizeBytes, urls }
}

/** URLs that come with the plan. 20 parts are 160 MB of a file of known size. */
const MAX_PLANNED_PARTS = 20
const UNKNOWN_PARTS = 4

/** R2 requires equal parts of at least 5 MiB, and at most 10,000 of them. */
const partSizeFor = (sizeBytes: number | null): number => {
  if (sizeBytes === null) return 16 * MiB
  if (sizeBytes <= 512 * MiB) return 8 * MiB
  return sizeBytes <= 4096 * MiB ? 16 * MiB : 64 * MiB
}

export const planParts = async (
  config: Config,
  { key, uploadId, firstPart, count }: PartsRequest,
): Promise<PartsPlan> => {
  const numbers = Array.from({ length: count }, (_, index) => firstPart + index)
  return { urls: await Promise.all(numbers.map((number) => presignedPut(config, key, { uploadId, number }))) }
}

/**
 * Completes an upload and checks that the stored object has the reported size. A repeated report finds the upload
 * already completed and the object in place, and succeeds.
 */
export const finishUpload = async (bucket: R2Bucket, { key, uploadId, parts, sizeBytes }: Uploaded): Promise<void> => {
  if (uploadId !== null && parts !== null) await completeUpload(bucket, key, uploadId, parts)
  const stored = await bucket.head(key)
  if (stored?.size !== sizeBytes)
    throw new Error(`${key} has ${stored?.size ?? 'no'} bytes in R2, but ${sizeBytes} were reported`)
}

const completeUpload = async (bucket: R2Bucket, key: string, uploadId: string, etags: string[]): Promise<void> => {
  const parts = etags.map((etag, index) => ({ partNumber: index + 1, etag: etag.replaceAll('"', '') }))
  try {
    await bucket.resumeMultipartUpload(key, uploadId).complete(parts)
  } catch (cause) {
    if (!(await bucket.head(key))) throw cause
  }
}

/** R2 deletes at most this many objects at once. */
const MAX_DELETED = 1_000

/**
 * Deletes objects and aborts their unfinished uploads, if any. Idempotent. Throws when an upload may still be there, unless
 * `isLastAbort`.
 */
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

/** R2's code of an upload that was aborted before, or never existed. */
const NO_SUCH_UPLOAD = /\(10024\)/

/** An upload that does not exist any more is fine. */
const abortUpload = async (bucket: R2Bucket, key: string, uploadId: string): Promise<void> => {
  try {
    await bucket.resumeMultipartUpload(key, uploadId).abort()
  } catch (cause) {
    if (!NO_SUCH_UPLOAD.test(`${cause}`)) throw cause
  }
}

/** Aborts an upload that nobody has been told of. If this fails, R2 removes it after seven days. */
export const abandonUpload = async (bucket: R2Bucket, key: string, uploadId: string): Promise<void> => {
  try {
    await abortUpload(bucket, key, uploadId)
  } catch (cause) {
    console.warn('an upload was not aborted', key, `${cause}`)
  }
}

const presignedPut = (config: Config, key: string, part?: { uploadId: string; number: number }): Promise<string> =>
  presigned(config, key, {
    method: 'PUT',
    seconds: UPLOAD_URL_SECONDS,
    query: part ? { partNumber: `${part.number}`, uploadId: part.uploadId } : {},
  })

/** For the container to read a stored file. */
export const presignedGet = (config: Config, key: string, seconds: number): Promise<string> =>
  presigned(config, key, { method: 'GET', seconds, query: {} })

interface PresignedRequest {
  method: 'GET' | 'PUT'
  seconds: number
  query: Record<string, string>
  /** Headers that the request must have as they are here. */
  headers?: Record<string, string>
}

export const presigned = async (
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
