import type { Context } from 'hono'
import { accepted, isLimit, type Refusal, type Result, refusal, refused } from '../../../domain/codes/refusals.ts'
import { newId } from '../../../domain/ids.ts'
import { reuseKeyOf } from '../../../domain/jobs/reuse-key.ts'
import { sha256Hex } from '../../../domain/secrets/api-keys.ts'
import { configOf } from '../../env.ts'
import { assessTranscription, beginJob, type JobAssessment } from '../jobs/start-job.ts'
import { type EngineOptions, transcribeRequestOf } from '../jobs/transcribe-request.ts'
import { account, type HttpEnv, identity } from '../request-context.ts'
import { keepForHeaders, refuse, refuseCounted } from '../respond.ts'
import { startAttempt } from '../uploads/complete-upload.ts'
import { invalidField } from '../validation-messages.ts'
import { formEvents } from './read-form.ts'
import { FileReceiver } from './receive-file.ts'

/** The limit of a body includes the rest of the form. Samples of voices are among the fields that are ignored. */
const REST_OF_FORM_BYTES = 4_000_000
const MAX_FILENAME_CHARACTERS = 255

export type SentFields = [name: string, value: string][]

export interface Form<Asked> {
  fileField: string
  /** Text fields that are wanted. */
  fields: ReadonlySet<string>
  /** What the fields ask for, or the response that refuses them. */
  read: (fields: SentFields, source: 'file' | 'url') => Wanted<Asked> | Promise<Response>
  /** Bytes that are stored before those of the file. */
  fileHead?: Uint8Array
}

/** `url`: instead of a file. */
export interface Wanted<Asked> {
  asked: Asked
  options: EngineOptions
  url?: string | undefined
}

export interface StartedTranscription<Asked> {
  jobId: string
  asked: Asked
  /** Requests with the same one share a job. */
  joinKey: string
}

/**
 * Starts or joins the job of a request:
 * 1. The account checks the key and its limits before the body is read.
 * 2. The form is read as it arrives. A file in it becomes an upload.
 * 3. If a job of the same bytes and options can be joined, it is the answer. Otherwise the file is inspected and a job
 *    starts, unless another request with the same file has started one meanwhile.
 *
 * The file is discarded whatever happens. A job that reads it keeps its object until the job ends.
 */
export const startTranscription = async <Asked>(
  c: Context<HttpEnv>,
  form: Form<Asked>,
): Promise<StartedTranscription<Asked> | Response> => {
  const files: FileReceiver[] = []
  const starting = receiveAndStart(c, form, files).finally(async () => {
    for (const file of files) await file.discard()
  })
  // After a disconnection the form is read no further, and its file is discarded.
  c.executionCtx.waitUntil(starting.catch(() => {}))
  return starting
}

const receiveAndStart = async <Asked>(
  c: Context<HttpEnv>,
  form: Form<Asked>,
  files: FileReceiver[],
): Promise<StartedTranscription<Asked> | Response> => {
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
  const { asked, options, url } = wanted
  const problem = sourceProblem(form, url, file)
  if (problem) return refuseCounted(c, problem)

  const request = transcribeRequestOf({ url: url ?? null, importId: null, uploadId: file?.id ?? null }, options)
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
  return result.ok ? { jobId: result.value.jobId, asked, joinKey } : refuse(c, result.refusal)
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
  { fileField, fields, fileHead }: Form<unknown>,
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
  { fileField, fields }: Form<unknown>,
  url: string | undefined,
  file: FileReceiver | null,
): Refusal | null => {
  if (file && url !== undefined) return invalidField('url', 'must not be given with a file')
  if (!file && url === undefined)
    return invalidField(fileField, fields.has('url') ? 'is required, or a url' : 'is required')
  return file && file.receivedBytes === 0 ? invalidField(fileField, 'is empty') : null
}
