import { AwsClient } from 'aws4fetch'
import type { PartsOrder, PartsPlan, Uploaded, UploadOrder, UploadPlan } from '../../container/protocol.ts'
import type { Config } from '../env.ts'

/**
 * Bytes go from the container straight into R2 by addresses signed here, never through the Worker. The
 * container learns addresses, not keys.
 */
const MiB = 1024 * 1024
const SINGLE_LIMIT = 8 * MiB
const LINK_SECONDS = 3_600

export const planUpload = async (
  bucket: R2Bucket,
  config: Config,
  key: string,
  { contentType, sizeBytes }: UploadOrder,
): Promise<UploadPlan> => {
  if (sizeBytes !== null && sizeBytes <= SINGLE_LIMIT) {
    return { kind: 'single', key, url: await presignedPut(config, key) }
  }
  const { uploadId } = await bucket.createMultipartUpload(key, { httpMetadata: { contentType } })
  return { kind: 'multipart', key, uploadId, partSizeBytes: partSize(sizeBytes) }
}

/** R2 wants equal parts of 5 MiB or more, and at most 10,000 of them. */
export const partSize = (sizeBytes: number | null): number => {
  if (sizeBytes === null) return 16 * MiB
  if (sizeBytes <= 512 * MiB) return 8 * MiB
  return sizeBytes <= 4096 * MiB ? 16 * MiB : 64 * MiB
}

export const planParts = async (
  config: Config,
  { key, uploadId, firstPart, count }: PartsOrder,
): Promise<PartsPlan> => {
  const numbers = Array.from({ length: count }, (_, index) => firstPart + index)
  return { urls: await Promise.all(numbers.map((number) => presignedPut(config, key, { uploadId, number }))) }
}

/**
 * Makes an object of what was uploaded, and proves that it is there with the size that was reported. A
 * report that comes twice finds the upload gone and the object in place, which is as good.
 */
export const finishUpload = async (bucket: R2Bucket, { key, uploadId, parts, sizeBytes }: Uploaded): Promise<void> => {
  if (uploadId !== null && parts !== null) await completeOnce(bucket, key, uploadId, parts)
  const stored = await bucket.head(key)
  if (stored?.size !== sizeBytes) throw new Error(`stored ${stored?.size ?? 'nothing'} of ${sizeBytes} bytes`)
}

const completeOnce = async (bucket: R2Bucket, key: string, uploadId: string, etags: string[]): Promise<void> => {
  const parts = etags.map((etag, index) => ({ partNumber: index + 1, etag: etag.replaceAll('"', '') }))
  try {
    await bucket.resumeMultipartUpload(key, uploadId).complete(parts)
  } catch (cause) {
    if (!(await bucket.head(key))) throw cause
  }
}

/** Removes an object, or an upload that never became one. Both are done twice without harm. */
export const discard = async (bucket: R2Bucket, key: string, uploadId: string | null): Promise<void> => {
  if (uploadId !== null) await abortQuietly(bucket, key, uploadId)
  await bucket.delete(key)
}

const abortQuietly = async (bucket: R2Bucket, key: string, uploadId: string): Promise<void> => {
  try {
    await bucket.resumeMultipartUpload(key, uploadId).abort()
  } catch {
    // Completed or aborted before; R2 gives up on unfinished uploads by itself after seven days.
  }
}

const presignedPut = (config: Config, key: string, part?: { uploadId: string; number: number }): Promise<string> =>
  presigned(config, key, {
    method: 'PUT',
    seconds: LINK_SECONDS,
    query: part ? { partNumber: `${part.number}`, uploadId: part.uploadId } : {},
  })

/** Where the container reads back what lies in storage. */
export const presignedGet = (config: Config, key: string, seconds: number): Promise<string> =>
  presigned(config, key, { method: 'GET', seconds, query: {} })

const presigned = async (
  config: Config,
  key: string,
  { method, seconds, query }: { method: 'GET' | 'PUT'; seconds: number; query: Record<string, string> },
): Promise<string> => {
  const { endpoint, accessKeyId, secretAccessKey } = config.mediaS3
  const url = new URL(`${endpoint}/${key}`)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  url.searchParams.set('X-Amz-Expires', `${seconds}`)
  const client = new AwsClient({ accessKeyId, secretAccessKey, service: 's3', region: 'auto' })
  const { url: signed } = await client.sign(url.href, { method, aws: { signQuery: true } })
  return signed
}
