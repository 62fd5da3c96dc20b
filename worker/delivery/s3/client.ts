import type { BucketSettings } from '../../domain/storage/settings.ts'
import { bucketUrl, objectUrl } from './address.ts'
import { type Answer, childrenOf, readXml, textOf } from './answer.ts'
import { type BucketOptions, connect } from './connection.ts'
import { base64, type Payload, payloadOf, utf8 } from './payload.ts'
import { BucketRefusal } from './refusal.ts'

/**
 * One bucket of an S3-compatible server. Every body is in memory and hashed before it leaves: the hash is
 * part of the signature (`x-amz-content-sha256`), so a server that checks signatures checks the bytes
 * too, whatever else it lacks. `x-amz-checksum-sha256` says the same once more to servers that keep it
 * with the object (AWS, R2, MinIO). Some refuse that header (Backblaze), so `checksums` is the caller's choice.
 */
export interface ObjectFacts {
  contentType: string
  contentDisposition: string
  storageClass?: string | undefined
  /** Hex, of the whole. Kept as `x-amz-meta-sha256`: by it our own finished object is known again. */
  sha256: string
}

export interface SentPart {
  number: number
  etag: string
  /** Base64, or null where the server keeps no checksums. */
  checksum: string | null
}

export interface PartToSend {
  uploadId: string
  number: number
  payload: Payload
  checksums: boolean
}

export interface StoredObject {
  sizeBytes: number
  sha256: string | null
  /** `x-amz-checksum-sha256` as the server has it: of the whole, or (with `-N`) of the parts' checksums. */
  checksum: string | null
}

type Signal = AbortSignal | undefined

export type Bucket = ReturnType<typeof createBucket>

/** Every call throws a `BucketRefusal` when the bucket says no. */
export const createBucket = (settings: BucketSettings, options: BucketOptions = {}) => {
  const { call, ask, refusal } = connect(settings, options)
  const url = (key: string, query: Record<string, string> = {}) => objectUrl(settings, key) + search(query)

  const put = async (key: string, payload: Payload, facts: ObjectFacts, checksums: boolean, signal?: Signal) => {
    const checksum = checksums ? base64(payload.digest) : undefined
    const headers = { ...objectHeaders(facts), 'x-amz-checksum-sha256': checksum }
    await ask({ method: 'PUT', url: url(key), headers, payload, long: true, signal })
  }

  /** `checksums` of the answer: whether the server took up the offer to keep one for each part. */
  const createMultipart = async (key: string, facts: ObjectFacts, checksums: boolean, signal?: Signal) => {
    const offer = { 'x-amz-checksum-algorithm': checksums ? 'SHA256' : undefined }
    const headers = { ...objectHeaders(facts), ...offer }
    const answer = await ask({ method: 'POST', url: url(key, { uploads: '' }), headers, signal })
    const uploadId = textOf(readXml(answer.text), 'UploadId')
    if (!uploadId) throw notS3(answer)
    return { uploadId, checksums: checksums && answer.headers.get('x-amz-checksum-algorithm') === 'SHA256' }
  }

  const uploadPart = async (key: string, part: PartToSend, signal?: Signal): Promise<SentPart> => {
    const { uploadId, number, payload } = part
    const checksum = part.checksums ? base64(payload.digest) : null
    const headers = { 'x-amz-checksum-sha256': checksum ?? undefined }
    const query = { partNumber: String(number), uploadId }
    const answer = await ask({ method: 'PUT', url: url(key, query), headers, payload, long: true, signal })
    const etag = answer.headers.get('etag')
    if (!etag) throw notS3(answer)
    return { number, etag, checksum }
  }

  const complete = async (key: string, uploadId: string, parts: SentPart[], signal?: Signal): Promise<void> => {
    const payload = await payloadOf(utf8(completion(parts)))
    const headers = { 'content-type': 'application/xml' }
    const answer = await ask({ method: 'POST', url: url(key, { uploadId }), headers, payload, long: true, signal })
    const root = readXml(answer.text)
    // The status went out before the work was done, so a 200 may still say no.
    if (root?.name === 'Error') throw refusal({ ...answer, status: 500 })
    if (root?.name !== 'CompleteMultipartUploadResult') throw notS3(answer)
  }

  const abort = async (key: string, uploadId: string, signal?: Signal): Promise<void> => {
    const answer = await call({ method: 'DELETE', url: url(key, { uploadId }), signal })
    if (answer.status >= 300 && answer.status !== 404) throw refusal(answer)
  }

  /** Throws `STORAGE_UPLOAD_GONE` for one that was completed, aborted or never there. */
  const listParts = async (key: string, uploadId: string, signal?: Signal): Promise<void> => {
    await ask({ method: 'GET', url: url(key, { uploadId, 'max-parts': '1' }), signal })
  }

  /** Unfinished uploads of exactly this key. */
  const uploadsOf = async (key: string, signal?: Signal) => {
    const query = search({ uploads: '', prefix: key, 'max-uploads': '50' })
    const answer = await ask({ method: 'GET', url: bucketUrl(settings) + query, signal })
    return childrenOf(readXml(answer.text), 'Upload')
      .filter((upload) => textOf(upload, 'Key') === key)
      .map((upload) => ({
        uploadId: textOf(upload, 'UploadId') ?? '',
        initiatedAt: Date.parse(textOf(upload, 'Initiated') ?? ''),
      }))
  }

  const head = async (key: string, checksums: boolean, signal?: Signal): Promise<StoredObject | null> => {
    const headers = { 'x-amz-checksum-mode': checksums ? 'ENABLED' : undefined }
    const answer = await call({ method: 'HEAD', url: url(key), headers, signal })
    if (answer.status === 404) return null
    if (answer.status !== 200) throw refusal(answer)
    return {
      sizeBytes: Number(answer.headers.get('content-length') ?? Number.NaN),
      sha256: answer.headers.get('x-amz-meta-sha256'),
      checksum: answer.headers.get('x-amz-checksum-sha256'),
    }
  }

  /** For what is small: an answer is read up to 64 KiB. */
  const read = async (key: string, signal?: Signal): Promise<string> =>
    (await ask({ method: 'GET', url: url(key), signal })).text

  const remove = async (key: string, signal?: Signal): Promise<void> => {
    await ask({ method: 'DELETE', url: url(key), signal })
  }

  return {
    name: settings.bucket,
    url,
    put,
    createMultipart,
    uploadPart,
    complete,
    abort,
    listParts,
    uploadsOf,
    head,
    read,
    remove,
  }
}

const notS3 = ({ status }: Answer): BucketRefusal =>
  new BucketRefusal('STORAGE_UNAVAILABLE', { status, words: 'the answer is not one of an S3 server.' })

const objectHeaders = ({ contentType, contentDisposition, storageClass, sha256 }: ObjectFacts) => ({
  'content-type': contentType,
  'content-disposition': contentDisposition,
  'x-amz-storage-class': storageClass,
  'x-amz-meta-sha256': sha256,
})

const search = (query: Record<string, string>): string => {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return pairs.length > 0 ? `?${pairs.join('&')}` : ''
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const completion = (parts: SentPart[]): string => {
  const lines = parts.map(({ number, etag, checksum }) => {
    const sum = checksum ? `<ChecksumSHA256>${escapeXml(checksum)}</ChecksumSHA256>` : ''
    return `<Part><PartNumber>${number}</PartNumber><ETag>${escapeXml(etag)}</ETag>${sum}</Part>`
  })
  const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/'
  return `<CompleteMultipartUpload xmlns="${namespace}">${lines.join('')}</CompleteMultipartUpload>`
}
