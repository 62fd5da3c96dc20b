import { createHash } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { type Body, bytesOf, sizeOf, streamOf, textOf, VirtualBody } from './http-message.ts'
import type { CallFault, Wire } from './wire.ts'

export interface R2Hooks {
  onCall?(method: string, key: string): CallFault | undefined
}

interface HttpMetadata {
  contentType?: string
}

interface PutOptions {
  httpMetadata?: HttpMetadata
  customMetadata?: Record<string, string>
  onlyIf?: Conditions
}

interface Conditions {
  etagMatches?: string
  etagDoesNotMatch?: string
}

interface Range {
  offset?: number
  length?: number
  suffix?: number
}

interface Stored {
  key: string
  body: Body
  etag: string
  uploaded: number
  httpMetadata: HttpMetadata
  customMetadata: Record<string, string>
}

interface Part {
  sizeBytes: number
  etag: string
  body: Body
}

interface Upload {
  key: string
  options: PutOptions
  parts: Map<number, Part>
}

/** https://developers.cloudflare.com/r2/api/error-codes/ */
export class R2Error extends Error {
  readonly code: number

  constructor(method: string, message: string, code: number) {
    super(`${method}: ${message} (${code})`)
    this.code = code
  }
}

const MIN_PART_BYTES = 5 * 1024 * 1024
const NO_SUCH_UPLOAD = 'The specified multipart upload does not exist.'

/** An R2 bucket, without the way to it: the binding and the S3 API both use it. */
export class R2Store {
  readonly #clock: Clock
  readonly #objects = new Map<string, Stored>()
  readonly #uploads = new Map<string, Upload>()
  /** Completed or aborted: to abort them again is no error. */
  readonly #ended = new Set<string>()
  #lastUpload = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  keys(): string[] {
    return [...this.#objects.keys()].sort()
  }

  get(key: string): Stored | undefined {
    return this.#objects.get(key)
  }

  put(
    key: string,
    body: Body,
    { httpMetadata = {}, customMetadata = {} }: PutOptions = {},
    etag = etagOf(body),
  ): Stored {
    const stored = { key, body, etag, uploaded: this.#clock.now, httpMetadata, customMetadata }
    this.#objects.set(key, stored)
    return stored
  }

  delete(keys: string[]): void {
    for (const key of keys) this.#objects.delete(key)
  }

  createUpload(key: string, options: PutOptions): string {
    const uploadId = `upload-${++this.#lastUpload}`
    this.#uploads.set(uploadId, { key, options, parts: new Map() })
    return uploadId
  }

  uploadPart(key: string, uploadId: string, number: number, body: Body): Part {
    const part = { sizeBytes: sizeOf(body), etag: etagOf(body), body }
    this.#upload('uploadPart', key, uploadId).parts.set(number, part)
    return part
  }

  completeUpload(key: string, uploadId: string, named: { partNumber: number; etag: string }[]): Stored {
    const method = 'completeMultipartUpload'
    const { parts, options } = this.#upload(method, key, uploadId)
    const chosen = [...named]
      .sort((one, other) => one.partNumber - other.partNumber)
      .map(({ partNumber, etag }) => {
        const part = parts.get(partNumber)
        if (part?.etag !== etag)
          throw new R2Error(method, 'One or more of the specified parts could not be found.', 10025)
        return part
      })
    const [first] = chosen
    const full = chosen.slice(0, -1)
    if (full.some(({ sizeBytes }) => sizeBytes < MIN_PART_BYTES))
      throw new R2Error(method, 'Your proposed upload is smaller than the minimum allowed object size.', 10011)
    const last = chosen.at(-1)
    if (
      first &&
      (full.some(({ sizeBytes }) => sizeBytes !== first.sizeBytes) || (last?.sizeBytes ?? 0) > first.sizeBytes)
    )
      throw new R2Error(method, 'There was a problem with the multipart upload.', 10048)
    this.#uploads.delete(uploadId)
    this.#ended.add(uploadId)
    return this.put(key, joined(chosen), options, multipartEtag(chosen))
  }

  abortUpload(key: string, uploadId: string): void {
    if (this.#ended.has(uploadId)) return
    this.#upload('abortMultipartUpload', key, uploadId)
    this.#uploads.delete(uploadId)
    this.#ended.add(uploadId)
  }

  /** Uploads that are neither completed nor aborted. */
  unfinishedUploads(): { key: string }[] {
    return [...this.#uploads.values()]
  }

  #upload(method: string, key: string, uploadId: string): Upload {
    const upload = this.#uploads.get(uploadId)
    if (upload?.key !== key) throw new R2Error(method, NO_SUCH_UPLOAD, 10024)
    return upload
  }
}

const md5 = (bytes: Uint8Array | string): Buffer => createHash('md5').update(bytes).digest()

const etagOf = (body: Body): string =>
  md5(body instanceof VirtualBody ? `${body.name} ${body.sizeBytes}` : bytesOf(body)).toString('hex')

const multipartEtag = (parts: Part[]): string =>
  `${md5(Buffer.concat(parts.map(({ etag }) => Buffer.from(etag, 'hex')))).toString('hex')}-${parts.length}`

const joined = (parts: Part[]): Body => {
  const sizeBytes = parts.reduce((sum, part) => sum + part.sizeBytes, 0)
  if (parts.some(({ body }) => body instanceof VirtualBody))
    return new VirtualBody(sizeBytes, parts.map(({ etag }) => etag).join())
  return new Uint8Array(Buffer.concat(parts.map(({ body }) => bytesOf(body))))
}

/** The Worker's binding. */
export const r2Binding = (wire: Wire, store: R2Store, hooks: R2Hooks) => {
  const call = <T>(method: string, key: string, act: () => T): Promise<T> => {
    const lost = () => new R2Error(method, 'We encountered an internal error. Please try again.', 10001)
    return wire.call('r2', hooks.onCall?.(method, key), lost, act)
  }
  const multipart = (key: string, uploadId: string) => ({
    key,
    uploadId,
    uploadPart: async (partNumber: number, body: Body | ReadableStream) => {
      const content = await contentOf(body)
      return call('uploadPart', key, () => ({
        partNumber,
        etag: store.uploadPart(key, uploadId, partNumber, content).etag,
      }))
    },
    complete: (parts: { partNumber: number; etag: string }[]) =>
      call('completeMultipartUpload', key, () => headOf(store.completeUpload(key, uploadId, parts))),
    abort: () => call('abortMultipartUpload', key, () => store.abortUpload(key, uploadId)),
  })
  return {
    head: (key: string) =>
      call('head', key, () => {
        const found = store.get(key)
        return found ? headOf(found) : null
      }),
    get: (key: string, { range, onlyIf }: { range?: Range; onlyIf?: Conditions } = {}) =>
      call('get', key, () => {
        const found = store.get(key)
        if (!found) return null
        return meets(found, onlyIf) ? bodyOf(found, range) : headOf(found)
      }),
    put: async (key: string, body: Body | ReadableStream | ArrayBuffer, options: PutOptions = {}) => {
      const content = await contentOf(body)
      return call('put', key, () =>
        meets(store.get(key), options.onlyIf) ? headOf(store.put(key, content, options)) : null,
      )
    },
    delete: (keys: string | string[]) => call('delete', `${keys}`, () => store.delete([keys].flat())),
    list: ({ prefix = '', cursor = '', limit = 1_000 }: { prefix?: string; cursor?: string; limit?: number } = {}) =>
      call('list', prefix, () => {
        const keys = store.keys().filter((key) => key.startsWith(prefix) && key > cursor)
        const objects = keys.slice(0, limit).map((key) => headOf(store.get(key) as Stored))
        const truncated = keys.length > limit
        return { objects, truncated, delimitedPrefixes: [], ...(truncated && { cursor: objects.at(-1)?.key }) }
      }),
    createMultipartUpload: (key: string, options: PutOptions = {}) =>
      call('createMultipartUpload', key, () => multipart(key, store.createUpload(key, options))),
    resumeMultipartUpload: multipart,
  }
}

const contentOf = async (body: Body | ReadableStream | ArrayBuffer): Promise<Body> => {
  if (body instanceof ReadableStream) return new Response(body).bytes()
  if (body instanceof ArrayBuffer) return new Uint8Array(body.slice(0))
  return body instanceof Uint8Array ? body.slice() : body
}

const meets = (found: Stored | undefined, { etagMatches, etagDoesNotMatch }: Conditions = {}): boolean =>
  (etagMatches === undefined || found?.etag === etagMatches) &&
  (etagDoesNotMatch === undefined || found?.etag !== etagDoesNotMatch)

const headOf = ({ key, body, etag, uploaded, httpMetadata, customMetadata }: Stored) => ({
  ...{ key, etag, httpEtag: `"${etag}"`, version: etag, size: sizeOf(body), uploaded: new Date(uploaded) },
  ...{
    httpMetadata: { ...httpMetadata },
    customMetadata: { ...customMetadata },
    checksums: {},
    storageClass: 'Standard',
  },
})

const bodyOf = (stored: Stored, range?: Range) => {
  const part = rangeOf(stored.body, range)
  return {
    ...headOf(stored),
    ...(range && { range: part.range }),
    get body() {
      return streamOf(part.body)
    },
    bodyUsed: false,
    text: async () => textOf(part.body),
    json: async () => JSON.parse(textOf(part.body)),
    bytes: async () => bytesOf(part.body),
    arrayBuffer: async () => bytesOf(part.body).buffer,
  }
}

export const rangeOf = (body: Body, { offset, length, suffix }: Range = {}) => {
  const size = sizeOf(body)
  const start = suffix === undefined ? (offset ?? 0) : Math.max(0, size - suffix)
  const end = Math.min(size, start + (length ?? size))
  const range = { offset: start, length: end - start }
  if (start === 0 && end === size) return { range, body }
  if (body instanceof VirtualBody) return { range, body: new VirtualBody(end - start, `${body.name} from ${start}`) }
  return { range, body: bytesOf(body).slice(start, end) }
}
