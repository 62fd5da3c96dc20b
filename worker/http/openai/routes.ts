import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { failure } from '../../../domain/codes/failures.ts'
import { type RefusalCode, refusal } from '../../../domain/codes/refusals.ts'
import { isTerminal, type Job, type TranscriptionJob } from '../../../domain/jobs/job.ts'
import { configOf } from '../../env.ts'
import { apiKey } from '../guards.ts'
import { whenEnded } from '../jobs/follow-job.ts'
import { account, type HttpEnv } from '../request-context.ts'
import { refuse, respondOpenaiError, whenAuthenticated } from '../respond.ts'
import { createRouter, routeOn } from '../router.ts'
import { named } from '../schemas.ts'
import { multipartForm, openaiErrors, registerForm, transcriptionResponse } from './documented.ts'
import { failedJobError, retryAfterSeconds } from './errors.ts'
import { transcriptionBody } from './response-body.ts'
import { type StartedTranscription, startTranscription, unknownModel } from './start-transcription.ts'
import { engineOf, modelObject, modelObjects } from './transcription-form.ts'

export const openaiRoutes = createRouter()
const route = routeOn(openaiRoutes, 'OpenAI API')
registerForm(openaiRoutes)

route('POST /v1/audio/transcriptions', {
  operationId: 'createOpenaiTranscription',
  summary: 'Transcribe a file or a URL and wait for the transcript',
  description: `For programs that use OpenAI's packages: \`base_url\` is this service with \`/v1\`, and the API key is yours. An ordinary transcription runs, whose id is in the header \`X-Haul-Job-Id\`. After 90 seconds the response is a 504, and the job continues. Send the same request again, as OpenAI's packages do by themselves, or read the job with \`GET /transcribe/status\`.

Requests with the same key, media and options share a job until ten minutes after its end. \`response_format\` and \`timestamp_granularities[]\` may differ. A failed job is only shared if the same media would fail again, for example with \`NO_SPEECH\`.

The segments of \`verbose_json\` have times and text. Other measurements are not known: \`seek\`, \`temperature\`, \`avg_logprob\` and \`no_speech_prob\` are always 0, \`compression_ratio\` is 1, and \`tokens\` is empty. \`language\` is \`unknown\` if nothing says which it is.`,
  guards: [apiKey('transcribe', 'transcribe')],
  request: { body: multipartForm },
  responses: { 200: transcriptionResponse, ...openaiErrors(400, 402, 403, 404, 410, 413, 415, 500, 502, 503, 504) },
  refusedAs: openaiErrors,
  handle: async (c) => {
    const starting = startTranscription(c)
    // After a disconnection the form is read no further, and its file is discarded.
    c.executionCtx.waitUntil(starting.catch(() => {}))
    const started = await starting
    return started instanceof Response ? started : respondTranscription(c, started)
  },
})

const NEVER_SEEN = -1

const respondTranscription = async (c: Context<HttpEnv>, { jobId, form }: StartedTranscription): Promise<Response> => {
  c.header('X-Haul-Job-Id', jobId)
  const first = await account(c).changeSince(c.get('caller').keyHash, jobId, NEVER_SEEN)
  if (first === null || first === 'unchanged') return refuse(c, refusal('UNAUTHORIZED'))
  const { job } = await whenEnded(c, first, configOf(c.env).transcriptionWaitMs)
  if (!isTerminal(job.state)) return stillRunning(c, jobId)
  if (!isTranscription(job) || job.failure) return respondFailed(c, job)
  const transcript = await transcriptionBody(c.env, job, form)
  if (!transcript) return refuse(c, refusal('MEDIA_EXPIRED', {}, 'The transcript was removed.'))
  return c.body(transcript.body, 200, { 'Content-Type': transcript.contentType, 'Cache-Control': 'private, no-store' })
}

const isTranscription = (job: Job): job is TranscriptionJob => job.kind === 'transcription'

const stillRunning = (c: Context<HttpEnv>, jobId: string): Response => {
  c.header('Retry-After', '1')
  return respondOpenaiError(c, {
    status: 504,
    code: 'TRANSCRIPT_NOT_READY' satisfies RefusalCode,
    message: `The transcription ${jobId} is still running. Send the same request again to wait for it, or read GET /transcribe/status?id=${jobId}.`,
    facts: { jobId },
  })
}

const respondFailed = (c: Context<HttpEnv>, job: Job): Response => {
  const reason = job.failure ?? failure('INTERNAL')
  const retryAfter = retryAfterSeconds[reason.code]
  if (retryAfter !== undefined) c.header('Retry-After', `${retryAfter}`)
  return respondOpenaiError(c, failedJobError(job, reason))
}

const Model = named('OpenaiModel', {
  id: z.string().openapi({ example: 'haul-auto' }),
  object: z.literal('model'),
  created: z
    .number()
    .int()
    .openapi({ description: 'In Unix seconds.', example: modelObject('').created }),
  owned_by: z.string().openapi({ example: 'haul' }),
})

const modelResponse = <T extends z.ZodType>(schema: T) => ({
  description: 'Success.',
  content: { 'application/json': { schema } },
})

route('GET /v1/models', {
  operationId: 'listModels',
  summary: 'List the models of the OpenAI API',
  guards: [apiKey('general', 'transcribe')],
  responses: { 200: modelResponse(z.object({ object: z.literal('list'), data: z.array(Model) })) },
  refusedAs: openaiErrors,
  handle: (c) => whenAuthenticated(c, () => c.json({ object: 'list', data: modelObjects() })),
})

route('GET /v1/models/{model}', {
  operationId: 'getModel',
  summary: 'Retrieve a model of the OpenAI API',
  guards: [apiKey('general', 'transcribe')],
  request: { params: z.object({ model: z.string() }) },
  responses: { 200: modelResponse(Model), ...openaiErrors(404) },
  refusedAs: openaiErrors,
  handle: (c) => {
    const { model } = c.req.valid('param')
    return engineOf(model) ? whenAuthenticated(c, () => c.json(modelObject(model))) : unknownModel(c, model)
  },
})
