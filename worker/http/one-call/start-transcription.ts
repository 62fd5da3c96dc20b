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

/** Besides the file, a body may have this much. Samples of voices are among the fields that are ignored. */
const REST_OF_FORM_BYTES = 4_000_000
const MAX_FILENAME_CHARACTERS = 255

export type SentFields = [name: string, value: string][]

export interface Form {
  fileField: string
  fields: ReadonlySet<string>
  /** What the fields ask for, or the response that refuses them. */
  read: (fields: SentFields, source: 'file' | 'url') => Promise<Wanted | Response>
  /** Bytes that are stored before those of the file. */
  fileHead?: Uint8Array
}

interface Wanted {
  options: EngineOptions
  /** Instead of a file. */
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
 * The file is always discarded. If a job reads it, its object stays until the job ends.
 */
export const transcribeForm = async (c: Context<HttpEnv>, form: Form): Promise<Response> => {
  const files: ReceivedFile[] = []
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
  files: ReceivedFile[],
): Promise<JobToFollow | Response> => {
  const mayStart = await account(c).mayStart(identity(c))
  keepForHeaders(c, mayStart)
  const { result: allowed } = mayStart
  if (!allowed.ok) return refuse(c, allowed.refusal)
  if (!/^multipart\/form-data *;/i.test(c.req.header('content-type') ?? '')) return refuseCounted(c, notMultipart)
  if ((bodyBytesOf(c) ?? 0) > maxFileBytes(c) + REST_OF_FORM_BYTES) return refuseCounted(c, tooLarge(c))

  const received = await receive(c, form, files)
  if (!received.ok) {
    // Refusals by a limit do not count.
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
  files: ReceivedFile[],
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
      if (file.receivedBytes() + event.bytes.length > maxBytes) return { ok: false, refusal: tooLarge(c) }
      await file.write(event.bytes)
    }
  }
  return accepted(sent)
}

const startFile = async (
  c: Context<HttpEnv>,
  { filename, contentType }: { filename: string; contentType: string },
  head: Uint8Array | undefined,
): Promise<Result<ReceivedFile>> => {
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
  return accepted(receivedFile(c, upload, head))
}

const sourceProblem = (
  { fileField, fields }: Form,
  url: string | undefined,
  file: ReceivedFile | null,
): Refusal | null => {
  if (file && url !== undefined) return invalidField('url', 'must not be given with a file')
  if (!file && url === undefined)
    return invalidField(fileField, fields.has('url') ? 'is required, or a url' : 'is required')
  return file && file.receivedBytes() === 0 ? invalidField(fileField, 'is empty') : null
}

/** The smallest part that R2 takes. Each file that arrives has a buffer of this size, and an isolate has 128 MB. */
const PART_BYTES = 5 * 1024 * 1024

type ReceivedFile = ReturnType<typeof receivedFile>

/** The account knows of the upload before its first byte is stored. `head` is stored before the bytes that arrive. */
const receivedFile = (c: Context<HttpEnv>, upload: Upload, head: Uint8Array = new Uint8Array()) => {
  const parts = c.env.MEDIA.resumeMultipartUpload(uploadKey(upload.id, upload), upload.multipartId ?? '')
  const digest = new crypto.DigestStream('SHA-256')
  const hash = digest.getWriter()
  const etags: string[] = []
  const buffer = new Uint8Array(Math.min(PART_BYTES, (bodyBytesOf(c) ?? PART_BYTES) + head.length))
  buffer.set(head)
  let filled = head.length
  let storedBytes = 0

  const storePart = async (): Promise<void> => {
    const { etag } = await parts.uploadPart(etags.length + 1, buffer.subarray(0, filled))
    etags.push(etag)
    storedBytes += filled
    filled = 0
  }

  return {
    id: upload.id,
    /** Without the head. */
    receivedBytes: (): number => storedBytes + filled - head.length,
    write: async (bytes: Uint8Array): Promise<void> => {
      await hash.write(bytes)
      for (let from = 0; from < bytes.length; ) {
        const piece = bytes.subarray(from, from + buffer.length - filled)
        buffer.set(piece, filled)
        filled += piece.length
        from += piece.length
        if (filled === buffer.length) await storePart()
      }
    },
    /** The SHA-256 of the bytes, which have all arrived. */
    end: async (): Promise<string> => {
      await hash.close()
      return toHex(await digest.digest)
    },
    /** If the bytes are media, they become an upload that jobs can read. */
    complete: async (): Promise<Result<Upload>> => {
      if (filled > 0) await storePart()
      const received = { ...upload, sizeBytes: storedBytes }
      const completion = await completeAttempt(c.env.MEDIA, received, etags)
      if (completion !== 'complete') throw new Error(`the parts of a received file are ${completion}`)
      return inspectUpload(c, received)
    },
    /** If a job reads the object, it is deleted when the job has ended. */
    discard: () => account(c).discardReceivedFile(upload.id),
  }
}
