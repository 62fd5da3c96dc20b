import type { Context } from 'hono'
import { accepted, isLimit, type Refusal, type Result, refusal, refused } from '../../../domain/codes/refusals.ts'
import { newId } from '../../../domain/ids.ts'
import type { TranscribeRequest } from '../../../domain/jobs/job.ts'
import { reuseKeyOf } from '../../../domain/jobs/reuse-key.ts'
import { sha256Hex } from '../../../domain/secrets/api-keys.ts'
import type { AccountAnswer, Started } from '../../account/calls.ts'
import { beginJob, type JobAssessment, reused } from '../jobs/start-job.ts'
import { type EngineOptions, transcribeRequestOf } from '../jobs/transcribe-request.ts'
import { account, type HttpEnv, identity } from '../request-context.ts'
import { keepForHeaders, refuse, refuseCounted, respondOpenaiError, whenAuthenticated } from '../respond.ts'
import { assessTranscription } from '../routes/transcriptions.ts'
import { startAttempt } from '../uploads/complete-upload.ts'
import { invalidField, invalidRequest } from '../validation-messages.ts'
import { formEvents } from './read-form.ts'
import { FileReceiver } from './receive-file.ts'
import { optionsOf, SentFields, type TranscriptionForm } from './transcription-form.ts'

export const MAX_FILE_BYTES = 100_000_000
/** The limit includes the rest of the form. Samples of voices are among the fields that are ignored. */
const MAX_BODY_BYTES = MAX_FILE_BYTES + 4_000_000
const MAX_FILENAME_CHARACTERS = 255

export interface StartedTranscription {
  jobId: string
  form: TranscriptionForm
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
export const startTranscription = async (c: Context<HttpEnv>): Promise<StartedTranscription | Response> => {
  const files: FileReceiver[] = []
  try {
    return await receiveAndStart(c, files)
  } finally {
    for (const file of files) await file.discard()
  }
}

const receiveAndStart = async (
  c: Context<HttpEnv>,
  files: FileReceiver[],
): Promise<StartedTranscription | Response> => {
  const mayStart = await account(c).mayStart(identity(c))
  keepForHeaders(c, mayStart)
  const { result: allowed } = mayStart
  if (!allowed.ok) return refuse(c, allowed.refusal)
  if (!/^multipart\/form-data *;/i.test(c.req.header('content-type') ?? '')) return refuseCounted(c, notMultipart)
  if ((bodyBytesOf(c) ?? 0) > MAX_BODY_BYTES) return refuseCounted(c, tooLarge)

  const received = await receive(c, files)
  if (!received.ok) {
    // A limit does not count.
    return isLimit(received.refusal.code) ? refuse(c, received.refusal) : refuseCounted(c, received.refusal)
  }
  const form = received.value.fields.parsed()
  if (!form.success) return refuseCounted(c, invalidRequest(form.error))
  const [file = null] = files
  const options = optionsOf(form.data, file ? 'file' : 'url')
  if (!options) return unknownModel(c, form.data.model)
  const problem = sourceProblem(form.data, file)
  if (problem) return refuseCounted(c, problem)

  const begun = await (file ? beginWithFile(c, options, file) : beginWithUrl(c, options, form.data.url ?? ''))
  keepForHeaders(c, begun)
  const { result } = begun
  return result.ok ? { jobId: result.value.jobId, form: form.data } : refuse(c, result.refusal)
}

const notMultipart = refusal('UNSUPPORTED_MEDIA_TYPE', {}, 'The request must have Content-Type: multipart/form-data.')
const tooLarge = refusal('BODY_TOO_LARGE', { limit: MAX_FILE_BYTES }, 'A file may have at most 100 MB.')

const bodyBytesOf = (c: Context<HttpEnv>): number | null => {
  const length = c.req.header('content-length')
  return length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : null
}

/** Reads the form. Files are added as soon as they begin. */
const receive = async (c: Context<HttpEnv>, files: FileReceiver[]): Promise<Result<{ fields: SentFields }>> => {
  const fields = new SentFields()
  const contentType = c.req.header('content-type') ?? ''
  const options = { contentType, fields: SentFields.names, file: 'file', maxBytes: MAX_BODY_BYTES }
  for await (const event of formEvents(c.req.raw.body, options)) {
    if (event.kind === 'tooLarge') return { ok: false, refusal: tooLarge }
    if (event.kind === 'invalid') return refused('INVALID_REQUEST', {}, `The form is not valid. ${event.message}`)
    if (event.kind === 'field') fields.add(event.name, event.value)
    if (event.kind === 'file') {
      if (files.length > 0) return { ok: false, refusal: invalidField('file', 'must be given once') }
      const file = await startFile(c, event)
      if (!file.ok) return file
      files.push(file.value)
    }
    const [file] = files
    if (event.kind === 'bytes' && file) {
      if (file.sizeBytes + event.bytes.length > MAX_FILE_BYTES) return { ok: false, refusal: tooLarge }
      await file.write(event.bytes)
    }
  }
  return accepted({ fields })
}

const startFile = async (
  c: Context<HttpEnv>,
  { filename, contentType }: { filename: string; contentType: string },
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
  return accepted(new FileReceiver(c, upload, bodyBytesOf(c)))
}

const sourceProblem = ({ url }: TranscriptionForm, file: FileReceiver | null): Refusal | null => {
  if (file && url !== undefined) return invalidField('url', 'must not be given with a file')
  if (!file && url === undefined) return invalidField('file', 'is required, or a url')
  return file && file.sizeBytes === 0 ? invalidField('file', 'is empty') : null
}

/** The code is OpenAI's, because programs look for it. */
export const unknownModel = (c: Context<HttpEnv>, model: string): Promise<Response> =>
  whenAuthenticated(c, () =>
    respondOpenaiError(c, {
      status: 404,
      code: 'model_not_found',
      message: `The model ${JSON.stringify(model.slice(0, 100))} does not exist. GET /v1/models lists the models.`,
      param: 'model',
    }),
  )

const beginWithFile = async (
  c: Context<HttpEnv>,
  options: EngineOptions,
  file: FileReceiver,
): Promise<AccountAnswer<Started>> => {
  const request = transcribeRequestOf({ url: null, importId: null, uploadId: file.id }, options)
  const sha256 = await file.end()
  return joinOrBegin(c, { ...request, uploadId: sha256 }, request, async () => {
    const assessment = await assessTranscription(c, options, request)
    if (!assessment.ok) return assessment
    const completed = await file.complete()
    return completed.ok ? assessment : completed
  })
}

const beginWithUrl = (c: Context<HttpEnv>, options: EngineOptions, url: string): Promise<AccountAnswer<Started>> => {
  const request = transcribeRequestOf({ url, importId: null, uploadId: null }, options)
  return joinOrBegin(c, request, request, () => assessTranscription(c, options, request))
}

/** `same` stands for all requests with the same source and options. */
const joinOrBegin = async (
  c: Context<HttpEnv>,
  same: TranscribeRequest,
  request: TranscribeRequest,
  assess: () => Promise<JobAssessment>,
): Promise<AccountAnswer<Started>> => {
  const joinKey = await sha256Hex(`${c.get('caller').keyHash} ${await reuseKeyOf(same)}`)
  return beginJob(c, {
    ...{ kind: 'transcription', request, joinKey, assess },
    reuse: async () => reused(await account(c).join(identity(c), joinKey)),
  })
}
