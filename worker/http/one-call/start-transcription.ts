import type { Context } from 'hono'
import { accepted, isLimit, type Refusal, type Result, refusal, refused } from '../../../domain/codes/refusals.ts'
import { toHex } from '../../../domain/encoding.ts'
import { newId } from '../../../domain/ids.ts'
import { reuseKeyOf } from '../../../domain/jobs/reuse-key.ts'
import { uploadKey } from '../../../domain/media/media-keys.ts'
import { sha256Hex } from '../../../domain/secrets/api-keys.ts'
import type { Upload } from '../../../domain/uploads/upload.ts'
import { configOf } from '../../env.ts'
import { assessTranscription, beginJob, type JobAssessment } from '../jobs/start-job.ts'
import { type EngineOptions, transcribeRequestOf } from '../jobs/start-requests.ts'
import { account, type HttpEnv, identity } from '../request-context.ts'
import { keepForHeaders, refuse, refuseCounted } from '../respond.ts'
import { completeAttempt, inspectUpload, startAttempt } from '../uploads/complete-upload.ts'
import { invalidField } from '../validation-messages.ts'
import { formEvents } from './read-form.ts'
import { type JobToFollow, type Rendering, respondWhenEnded } from './respond-when-ended.ts'

/** The limit of a body includes the rest of the form. Samples of voices are among the fields that are ignored. */
const REST_OF_FORM_BYTES = 4_000_000
const MAX_FILENAME_CHARACTERS = 255

export type SentFields = [name: string, value: string][]

export interface Form {
  fileField: string
  fields: ReadonlySet<string>
  /** What the fields ask for, or the response that refuses them. */
  read: (fields: SentFields, source: 'file' | 'url') => Wanted | Promise<Response>
  /** Bytes that are stored before those of the file. */
  fileHead?: Uint8Array
}

/** `url`: instead of a file. */
interface Wanted {
  options: EngineOptions
  url?: string | undefined
  rendering: Rendering
}

/**
 * Starts or joins the job of a request, and responds when it has ended:
 * 1. The account checks the key and its limits before the body is read.
 * 2. The form is read as it arrives. A file in it becomes an upload.
 * 3. If a job of the same bytes and options can be joined, it is the answer. Otherwise the file is inspected and a job
 *    starts, unless another request with the same file has started one meanwhile.
 *
 * The file is discarded whatever happens. A job that reads it keeps its object until the job ends.
 */
export const transcribeForm = async (c: Context<HttpEnv>, form: Form): Promise<Response> => {
  const files: FileReceiver[] = []
  const starting = receiveAndStart(c, form, files).finally(async () => {
    for (const file of files) await file.discard()
  })
  // After a disconnection the form is read no further, and its file is discarded.
  c.executionCtx.waitUntil(starting.catch(() => {}))
  const started = await starting
  return started instanceof Response ? started : respondWhenEnded(c, started)
}

const receiveAndStart = async (
  c: Context<HttpEnv>,
  form: Form,
  files: FileReceiver[],
): Promise<JobToFollow | Response> => {
  const mayStart = await account(c).mayStart(identity(c))
  keepForHeaders(c, mayStart)
  const { result: allowed } = mayStart
  if (!allowed.ok) return refuse(c, allowed.refusal)
  if (!/^multipart\/form-data *;/i.test(c.req.header('content-type') ?? '')) return refuseCounted(c, notMultipart)
  if ((bodyBytesOf(c) ?? 0) > maxFileBytes(c) + REST_OF_FORM_BYTES) return refuseCounted(c, tooLarge(c))

  const received = await receive(c, form, files)
  if (!received.ok) {
    // A limit does not count.
    return isLimit(received.refusal.code) ? refuse(c, received.refusal) : refuseCounted(c, received.refusal)
  }
  const [file = null] = files
  const wanted = await form.read(received.value, file ? 'file' : 'url')
  if (wanted instanceof Response) return wanted
  const { options, url, rendering } = wanted
  const problem = sourceProblem(form, url, file)
  if (problem) return refuseCounted(c, problem)

  const request = transcribeRequestOf({ url, uploadId: file?.id }, options)
  // Stands for all requests with the same bytes or URL, and the same options.
  const same = file ? { ...request, uploadId: await file.end() } : request
  const joinKey = await sha256Hex(`${c.get('caller').keyHash} ${await reuseKeyOf(same)}`)
  const assess = async (): Promise<JobAssessment> => {
    const assessment = await assessTranscription(c, options, request)
    const completed = file && assessment.ok ? await file.complete() : assessment
    return completed.ok ? assessment : completed
  }
  const answer = await beginJob(c, { job: { kind: 'transcription', request }, joinKey, assess })
  keepForHeaders(c, answer)
  const { result } = answer
  return result.ok ? { jobId: result.value.jobId, joinKey, rendering } : refuse(c, result.refusal)
}

const notMultipart = refusal('UNSUPPORTED_MEDIA_TYPE', {}, 'The request must have Content-Type: multipart/form-data.')

const maxFileBytes = (c: Context<HttpEnv>): number => configOf(c.env).MAX_BODY_BYTES

const tooLarge = (c: Context<HttpEnv>): Refusal => {
  const limit = maxFileBytes(c)
  const megabytes = Math.floor(limit / 1_000_000)
  const instead = 'Send the URL of a larger one as `url`, or upload it with POST /uploads and start POST /transcribe.'
  return refusal('BODY_TOO_LARGE', { limit }, `A file in a request may have at most ${megabytes} MB. ${instead}`)
}

const bodyBytesOf = (c: Context<HttpEnv>): number | null => {
  const length = c.req.header('content-length')
  return length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : null
}

const receive = async (
  c: Context<HttpEnv>,
  { fileField, fields, fileHead }: Form,
  files: FileReceiver[],
): Promise<Result<SentFields>> => {
  const sent: SentFields = []
  const contentType = c.req.header('content-type') ?? ''
  const maxBytes = maxFileBytes(c)
  const options = { contentType, fields, file: fileField, maxBytes: maxBytes + REST_OF_FORM_BYTES }
  for await (const event of formEvents(c.req.raw.body, options)) {
    if (event.kind === 'tooLarge') return { ok: false, refusal: tooLarge(c) }
    if (event.kind === 'invalid') return refused('INVALID_REQUEST', {}, `The form is not valid. ${event.message}`)
    if (event.kind === 'field') sent.push([event.name, event.value])
    if (event.kind === 'file') {
      if (files.length > 0) return { ok: false, refusal: invalidField(fileField, 'must be given once') }
      const file = await startFile(c, event, fileHead)
      if (!file.ok) return file
      files.push(file.value)
    }
    const [file] = files
    if (event.kind === 'bytes' && file) {
      if (file.receivedBytes + event.bytes.length > maxBytes) return { ok: false, refusal: tooLarge(c) }
      await file.write(event.bytes)
    }
  }
  return accepted(sent)
}

const startFile = async (
  c: Context<HttpEnv>,
  { filename, contentType }: { filename: string; contentType: string },
  head: Uint8Array | undefined,
): Promise<Result<FileReceiver>> => {
  const name =
    filename
      .replace(/\p{Cc}/gu, '')
      .slice(0, MAX_FILENAME_CHARACTERS)
      .trim() || 'audio'
  const reserved = { id: newId('upload', Date.now()), filename: name, contentType }
  const { result } = await account(c).reserveReceivedFile(identity(c), reserved)
  if (!result.ok) return result
  const upload = await startAttempt(c, result.value)
  if (!upload) throw new Error('a received file has no upload')
  return accepted(new FileReceiver(c, upload, { bodyBytes: bodyBytesOf(c), head }))
}

const sourceProblem = (
  { fileField, fields }: Form,
  url: string | undefined,
  file: FileReceiver | null,
): Refusal | null => {
  if (file && url !== undefined) return invalidField('url', 'must not be given with a file')
  if (!file && url === undefined)
    return invalidField(fileField, fields.has('url') ? 'is required, or a url' : 'is required')
  return file && file.receivedBytes === 0 ? invalidField(fileField, 'is empty') : null
}

/** The smallest part that R2 takes. Each file that arrives has a buffer of this size, and an isolate has 128 MB. */
const PART_BYTES = 5 * 1024 * 1024

/** The account knows of the upload before its first byte is stored. The bytes are hashed as they pass. */
class FileReceiver {
  readonly #c: Context<HttpEnv>
  readonly #upload: Upload
  readonly #parts: R2MultipartUpload
  readonly #digest = new crypto.DigestStream('SHA-256')
  readonly #hash = this.#digest.getWriter()
  readonly #etags: string[] = []
  readonly #buffer: Uint8Array
  readonly #headBytes: number
  #filled: number
  #storedBytes = 0

  /** `upload` has a multipart upload in storage. `head` is stored before the bytes that arrive. */
  constructor(
    c: Context<HttpEnv>,
    upload: Upload,
    { bodyBytes, head = new Uint8Array() }: { bodyBytes: number | null; head?: Uint8Array | undefined },
  ) {
    this.#c = c
    this.#upload = upload
    this.#parts = c.env.MEDIA.resumeMultipartUpload(uploadKey(upload.id, upload), upload.multipartId ?? '')
    this.#buffer = new Uint8Array(Math.min(PART_BYTES, (bodyBytes ?? PART_BYTES) + head.length))
    this.#buffer.set(head)
    this.#filled = head.length
    this.#headBytes = head.length
  }

  get id(): string {
    return this.#upload.id
  }

  /** Without the head. */
  get receivedBytes(): number {
    return this.#storedBytes + this.#filled - this.#headBytes
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#hash.write(bytes)
    for (let from = 0; from < bytes.length; ) {
      const piece = bytes.subarray(from, from + this.#buffer.length - this.#filled)
      this.#buffer.set(piece, this.#filled)
      this.#filled += piece.length
      from += piece.length
      if (this.#filled === this.#buffer.length) await this.#storePart()
    }
  }

  /** Their SHA-256. */
  async end(): Promise<string> {
    await this.#hash.close()
    return toHex(await this.#digest.digest)
  }

  async complete(): Promise<Result<Upload>> {
    if (this.#filled > 0) await this.#storePart()
    const upload = { ...this.#upload, sizeBytes: this.#storedBytes }
    const completion = await completeAttempt(this.#c.env.MEDIA, upload, this.#etags)
    if (completion !== 'complete') throw new Error(`the parts of a received file are ${completion}`)
    return inspectUpload(this.#c, upload)
  }

  /** The object is deleted, when the job that reads it has ended. */
  async discard(): Promise<void> {
    await account(this.#c).discardReceivedFile(this.#upload.id)
  }

  async #storePart(): Promise<void> {
    const { etag } = await this.#parts.uploadPart(this.#etags.length + 1, this.#buffer.subarray(0, this.#filled))
    this.#etags.push(etag)
    this.#storedBytes += this.#filled
    this.#filled = 0
  }
}
