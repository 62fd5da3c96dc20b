import ipaddr from 'ipaddr.js'
import { encodeKey } from '../../../domain/bucket/object-name.ts'
import type { BucketSettings } from '../../../domain/bucket/storage-settings.ts'
import { toBase64, utf8 } from '../../../domain/encoding.ts'
import { canonicalHost } from '../../../domain/network/canonical-host.ts'
import { BucketRefusal } from './bucket-refusal.ts'
import { type BucketOptions, childrenOf, childText, connect, readXml, type S3Response } from './connection.ts'
import { type Payload, payloadOf } from './payload.ts'

/**
 * Every body is hashed in memory, and the signature covers the hash (`x-amz-content-sha256`), so that servers verify
 * the bytes. Servers that store checksums (AWS, R2, MinIO) also get `x-amz-checksum-sha256`. Backblaze rejects it.
 */
export interface ObjectMetadata {
  contentType: string
  contentDisposition: string
  storageClass?: string | undefined
  /** The digest of the whole file, in hex. Stored as `x-amz-meta-sha256`, which identifies an object that we copied. */
  sha256: string
  /** Stored as `x-amz-meta-job-id`, which tells an object of this job from others with its key. */
  jobId?: string
}

export interface UploadedPart {
  number: number
  etag: string
  /** Base64, or null if the server stores no checksums. */
  checksum: string | null
}

export interface ObjectHead {
  sizeBytes: number
  sha256: string | null
  jobId: string | null
  /** `x-amz-checksum-sha256` of the response: of the whole object, or of the parts' checksums if it ends with `-N`. */
  checksum: string | null
}

type Signal = AbortSignal | undefined

export type Bucket = ReturnType<typeof createBucket>

/** Every method throws a `BucketRefusal` when the bucket refuses. */
export const createBucket = (settings: BucketSettings, options: BucketOptions = {}) => {
  const { send, sendOk, refusal } = connect(settings, options)
  const url = (key: string, query: Record<string, string> = {}) => objectUrl(settings, key) + search(query)

  const put = async (key: string, payload: Payload, metadata: ObjectMetadata, checksums: boolean, signal?: Signal) => {
    const checksum = checksums ? toBase64(payload.digest) : undefined
    const headers = { ...objectHeaders(metadata), 'x-amz-checksum-sha256': checksum }
    await sendOk({ method: 'PUT', url: url(key), headers, payload, long: true, signal })
  }

  /** `checksums` of the result: whether the server stores a checksum of each part. */
  const createMultipart = async (key: string, metadata: ObjectMetadata, checksums: boolean, signal?: Signal) => {
    const headers = { ...objectHeaders(metadata), 'x-amz-checksum-algorithm': checksums ? 'SHA256' : undefined }
    const response = await sendOk({ method: 'POST', url: url(key, { uploads: '' }), headers, signal })
    const uploadId = childText(readXml(response.text), 'UploadId')
    if (!uploadId) throw notS3(response)
    return { uploadId, checksums: checksums && response.headers.get('x-amz-checksum-algorithm') === 'SHA256' }
  }

  const uploadPart = async (
    key: string,
    part: { uploadId: string; number: number; payload: Payload; checksums: boolean },
    signal?: Signal,
  ): Promise<UploadedPart> => {
    const { uploadId, number, payload, checksums } = part
    const checksum = checksums ? toBase64(payload.digest) : null
    const headers = { 'x-amz-checksum-sha256': checksum ?? undefined }
    const query = { partNumber: String(number), uploadId }
    const response = await sendOk({ method: 'PUT', url: url(key, query), headers, payload, long: true, signal })
    const etag = response.headers.get('etag')
    if (!etag) throw notS3(response)
    return { number, etag, checksum }
  }

  const complete = async (key: string, uploadId: string, parts: UploadedPart[], signal?: Signal): Promise<void> => {
    const payload = await payloadOf(utf8(completionXml(parts)))
    const headers = { 'content-type': 'application/xml' }
    const response = await sendOk({ method: 'POST', url: url(key, { uploadId }), headers, payload, long: true, signal })
    const root = readXml(response.text)
    // S3 sends the status before it completes the upload, so a 200 may contain an error.
    if (root?.name === 'Error') throw refusal({ ...response, status: 500 })
    if (root?.name !== 'CompleteMultipartUploadResult') throw notS3(response)
  }

  const abort = async (key: string, uploadId: string, signal?: Signal): Promise<void> => {
    const response = await send({ method: 'DELETE', url: url(key, { uploadId }), signal })
    if (response.status >= 300 && response.status !== 404) throw refusal(response)
  }

  /** Throws `STORAGE_UPLOAD_GONE` if the upload was completed, was aborted or never existed. */
  const listParts = async (key: string, uploadId: string, signal?: Signal): Promise<void> => {
    await sendOk({ method: 'GET', url: url(key, { uploadId, 'max-parts': '1' }), signal })
  }

  /** Unfinished uploads of exactly this key: `prefix` also matches longer keys. */
  const uploadsOf = async (key: string) => {
    const query = search({ uploads: '', prefix: key, 'max-uploads': '50' })
    const response = await sendOk({ method: 'GET', url: bucketUrl(settings) + query })
    return childrenOf(readXml(response.text), 'Upload')
      .filter((upload) => childText(upload, 'Key') === key)
      .map((upload) => ({
        uploadId: childText(upload, 'UploadId') ?? '',
        initiatedAt: Date.parse(childText(upload, 'Initiated') ?? ''),
      }))
  }

  const head = async (key: string, checksums: boolean, signal?: Signal): Promise<ObjectHead | null> => {
    const headers = { 'x-amz-checksum-mode': checksums ? 'ENABLED' : undefined }
    const response = await send({ method: 'HEAD', url: url(key), headers, signal })
    if (response.status === 404) return null
    if (response.status !== 200) throw refusal(response)
    return {
      sizeBytes: Number(response.headers.get('content-length') ?? Number.NaN),
      sha256: response.headers.get('x-amz-meta-sha256'),
      jobId: response.headers.get('x-amz-meta-job-id'),
      checksum: response.headers.get('x-amz-checksum-sha256'),
    }
  }

  const read = async (key: string): Promise<string> => (await sendOk({ method: 'GET', url: url(key) })).text

  const remove = async (key: string): Promise<void> => {
    const response = await send({ method: 'DELETE', url: url(key) })
    if (response.status >= 300 && response.status !== 404) throw refusal(response)
  }

  return { put, createMultipart, uploadPart, complete, abort, listParts, uploadsOf, head, read, remove }
}

/** A certificate for `*.host` does not cover a bucket name with dots, and an IP address has no subdomains. */
const needsPathStyle = ({ bucket }: BucketSettings, host: string): boolean =>
  bucket.includes('.') || !host.includes('.') || ipaddr.isValid(canonicalHost(host))

const bucketUrl = (settings: BucketSettings): string => {
  const url = new URL(settings.endpoint)
  const path = url.pathname.replace(/(?<!\/)\/+$/, '')
  if (settings.pathStyle || needsPathStyle(settings, url.hostname)) return `${url.origin}${path}/${settings.bucket}/`
  return `${url.protocol}//${settings.bucket}.${url.host}${path}/`
}

export const objectUrl = (settings: BucketSettings, key: string): string => bucketUrl(settings) + encodeKey(key)

const notS3 = ({ status }: S3Response): BucketRefusal =>
  new BucketRefusal('STORAGE_UNAVAILABLE', { status, serverMessage: 'the response is not an S3 response.' })

const objectHeaders = ({ contentType, contentDisposition, storageClass, sha256, jobId }: ObjectMetadata) => ({
  'content-type': contentType,
  'content-disposition': contentDisposition,
  'x-amz-storage-class': storageClass,
  'x-amz-meta-sha256': sha256,
  'x-amz-meta-job-id': jobId,
})

const search = (query: Record<string, string>): string => {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return pairs.length > 0 ? `?${pairs.join('&')}` : ''
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const completionXml = (parts: UploadedPart[]): string => {
  const lines = parts.map(({ number, etag, checksum }) => {
    const sum = checksum ? `<ChecksumSHA256>${escapeXml(checksum)}</ChecksumSHA256>` : ''
    return `<Part><PartNumber>${number}</PartNumber><ETag>${escapeXml(etag)}</ETag>${sum}</Part>`
  })
  const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/'
  return `<CompleteMultipartUpload xmlns="${namespace}">${lines.join('')}</CompleteMultipartUpload>`
}
