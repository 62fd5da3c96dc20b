import type { Clock } from '../clock.ts'
import type { Faults } from '../faults/faults.ts'
import { type HttpRequest, type HttpResponse, sizeOf, textOf } from '../platform/http-message.ts'
import { sleep } from '../sleep.ts'

export const BUCKET_HOST = 's3.callers.example'
export const BUCKET_NAME = 'their-media'

/** What `PUT /storage` is asked with. */
export const bucketSettings = {
  ...{ endpoint: `https://${BUCKET_HOST}`, region: 'eu-central-1', bucket: BUCKET_NAME, pathStyle: true },
  ...{ accessKeyId: 'AKIASIMULATED', secretAccessKey: 'simulated' },
}

/** Its metadata of ours. */
interface Marks {
  sha256: string | null
  jobId: string | null
}

interface Upload {
  key: string
  initiatedAt: number
  marks: Marks
  parts: Map<number, number>
}

interface StoredObject {
  sizeBytes: number
  marks: Marks
  /** Of small objects. */
  text: string
}

/** Long enough for callers to cancel between two requests. */
const ANSWER_MS = 400

/** What has been written can always be removed. */
const writes = ['PUT', 'POST']

/** A caller's bucket: a server that knows the S3 API without checksums. It may be slow, refuse, or lose its answers. */
export class CallersBucket {
  readonly objects = new Map<string, StoredObject>()
  readonly uploads = new Map<string, Upload>()
  readonly #clock: Clock
  readonly #faults: Faults
  #uploadIds = 0

  constructor(clock: Clock, faults: Faults) {
    this.#clock = clock
    this.#faults = faults
  }

  readonly handle = async (request: HttpRequest): Promise<HttpResponse> => {
    const how = this.#faults.happens('bucket of a caller fails')
      ? this.#faults.between('bucket of a caller fails', 0, 3)
      : null
    await sleep(ANSWER_MS)
    if (how === 0) return error(503, 'SlowDown')
    if (how === 3 && writes.includes(request.method)) return error(403, 'AccessDenied')
    if (how === 1) await sleep(30_000)
    const response = this.#answer(request)
    return how === 2 ? error(500, 'InternalError') : response
  }

  #answer({ method, url, headers, body }: HttpRequest): HttpResponse {
    const query = url.searchParams
    const key = decodeURIComponent(url.pathname.slice(`/${BUCKET_NAME}/`.length))
    const uploadId = query.get('uploadId')
    if (key === '') return this.#list(query.get('prefix') ?? '')
    if (uploadId !== null) return this.#part(method, uploadId, Number(query.get('partNumber')), sizeOf(body))
    const marks = { sha256: headers.get('x-amz-meta-sha256'), jobId: headers.get('x-amz-meta-job-id') }
    if (method === 'POST') {
      const id = `upload-${++this.#uploadIds}`
      this.uploads.set(id, { key, initiatedAt: this.#clock.now, marks, parts: new Map() })
      return xml(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`)
    }
    if (method === 'PUT') {
      const sizeBytes = sizeOf(body)
      this.objects.set(key, { sizeBytes, marks, text: sizeBytes < 1_000 ? textOf(body) : '' })
      return { status: 200, headers: { etag: '"whole"' } }
    }
    if (method === 'DELETE') {
      this.objects.delete(key)
      return { status: 204 }
    }
    const object = this.objects.get(key)
    if (!object) return error(404, 'NoSuchKey')
    const facts = {
      'content-length': `${object.sizeBytes}`,
      ...(object.marks.sha256 && { 'x-amz-meta-sha256': object.marks.sha256 }),
      ...(object.marks.jobId && { 'x-amz-meta-job-id': object.marks.jobId }),
    }
    return { status: 200, headers: facts, body: method === 'HEAD' ? null : object.text }
  }

  #list(prefix: string): HttpResponse {
    const found = [...this.uploads].filter(([, { key }]) => key.startsWith(prefix))
    const uploads = found.map(
      ([id, { key, initiatedAt }]) =>
        `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${new Date(initiatedAt).toISOString()}</Initiated></Upload>`,
    )
    return xml(`<ListMultipartUploadsResult>${uploads.join('')}</ListMultipartUploadsResult>`)
  }

  #part(method: string, uploadId: string, number: number, sizeBytes: number): HttpResponse {
    const upload = this.uploads.get(uploadId)
    if (!upload) return error(404, 'NoSuchUpload')
    if (method === 'PUT') {
      upload.parts.set(number, sizeBytes)
      return { status: 200, headers: { etag: `"part-${number}"` } }
    }
    if (method === 'GET') return xml('<ListPartsResult></ListPartsResult>')
    this.uploads.delete(uploadId)
    if (method === 'DELETE') return { status: 204 }
    const total = [...upload.parts.values()].reduce((sum, size) => sum + size, 0)
    this.objects.set(upload.key, { sizeBytes: total, marks: upload.marks, text: '' })
    return xml('<CompleteMultipartUploadResult><ETag>"whole"</ETag></CompleteMultipartUploadResult>')
  }
}

const xml = (body: string): HttpResponse => ({
  status: 200,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0" encoding="UTF-8"?>${body}`,
})

const error = (status: number, code: string): HttpResponse => ({
  ...xml(`<Error><Code>${code}</Code><Message>simulated</Message></Error>`),
  status,
})
