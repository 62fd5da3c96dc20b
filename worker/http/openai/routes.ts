import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { Failure } from '../../../domain/codes/failures.ts'
import { type RefusalCode, refusal } from '../../../domain/codes/refusals.ts'
import type { Job } from '../../../domain/jobs/job.ts'
import type { OfferedModel } from '../../../domain/jobs/speech-models.ts'
import { modelNamed } from '../../../domain/openai-models.ts'
import { configOf } from '../../env.ts'
import { apiKey } from '../guards.ts'
import { withUsablePrompt } from '../jobs/options-problem.ts'
import { offerFor } from '../offer-of-request.ts'
import { transcribeForm } from '../one-call/start-transcription.ts'
import { withoutSpareWords } from '../one-call/words-of-model.ts'
import type { HttpEnv } from '../request-context.ts'
import { refuseCounted, respondOpenaiError, whenAuthenticated } from '../respond.ts'
import { routerFor } from '../router.ts'
import { formBody, named, plainJson, refusedWith } from '../schemas.ts'
import { invalidRequest } from '../validation-messages.ts'
import { failedJobError, retryAfterSeconds } from './errors.ts'
import { bodyRendering, eventsRendering } from './response-body.ts'
import {
  type Asked,
  askedOf,
  engineOf,
  fieldNames,
  forms,
  listedModels,
  modelsThatExist,
  optionsOf,
  valuesOf,
} from './transcription-form.ts'

const ErrorBody = named('OpenaiError', {
  error: z.looseObject({
    message: z.string().describe('A message for people.'),
    type: z.enum(['invalid_request_error', 'server_error']),
    param: z.string().nullable().describe('The field that is wrong.'),
    code: z.string().describe('A code of this service, or `model_not_found`.'),
    jobId: z.string().optional().describe('Present if there is a job.'),
  }),
})

export const openaiErrors = refusedWith(ErrorBody, {
  400: 'The request is not valid, or the media cannot be transcribed.',
  402: 'The account balance is too low, or the price is above `max_cost_dollars`.',
  403: 'The account is suspended.',
  404: 'The model does not exist.',
  410: 'The transcript was removed.',
  413: 'The file is too large for a request. The message says how to send it.',
  415: 'The body is not multipart/form-data.',
  500: 'Something went wrong on our side, or the job timed out.',
  502: 'The provider could not transcribe the media.',
  504: 'The job still runs at the end of TRANSCRIPTION_WAIT_MS. The same request waits for it again.',
})

const sentFile = z.string().optional().openapi({
  format: 'binary',
  description:
    'An audio or video file, of up to 100 MB unless the operator sets another limit. Exactly one of `file` and `url` is required.',
})

const Usage = z.object({ type: z.literal('duration'), seconds: z.number().describe('The duration of the media.') })
const text = z.string()
const duration = z.number().describe('In seconds.')

const Transcription = named('OpenaiTranscription', { text: text.openapi({ example: 'Good morning.' }), usage: Usage })

const Segment = named('OpenaiSegment', {
  id: z.number().int().describe('From 0.'),
  seek: z.literal(0),
  start: z.number().describe('Seconds from the start of the media.'),
  end: z.number(),
  text,
  tokens: z.array(z.number().int()).max(0),
  temperature: z.literal(0),
  avg_logprob: z.literal(0),
  compression_ratio: z.literal(1),
  no_speech_prob: z.literal(0),
})

const VerboseTranscription = named('OpenaiVerboseTranscription', {
  task: z.enum(['transcribe', 'translate']),
  language: z.string().openapi({ description: 'An English name in lower case, or `unknown`.', example: 'english' }),
  duration,
  text,
  segments: z.array(Segment).optional().describe('Present with the granularity `segment`.'),
  words: z
    .array(named('OpenaiWord', { word: z.string(), start: z.number(), end: z.number() }))
    .optional()
    .describe('Present with the granularity `word`, if the transcript has word times.'),
  usage: Usage,
})

const DiarizedSegment = named('OpenaiDiarizedSegment', {
  type: z.literal('transcript.text.segment'),
  id: z.string(),
  start: z.number(),
  end: z.number(),
  text,
  speaker: z.string().describe('`A`, `B` and so on, in order of first appearance.'),
})

const DiarizedTranscription = named('OpenaiDiarizedTranscription', {
  task: z.literal('transcribe'),
  duration,
  text,
  segments: z.array(DiarizedSegment),
  usage: Usage,
})

const file = { schema: text }
const files = { 'text/plain': file, 'application/x-subrip': file, 'text/vtt': file }
const headers = z.object({ 'X-Haul-Job-Id': z.string() })

const transcriptionResponse = {
  description: 'The transcript, in the format of `response_format`.',
  headers,
  content: {
    'application/json': { schema: z.union([Transcription, VerboseTranscription, DiarizedTranscription]) },
    ...files,
    'text/event-stream': file,
  },
}

const translationResponse = {
  description: 'The transcript in English, in the format of `response_format`.',
  headers,
  content: { 'application/json': { schema: z.union([Transcription, VerboseTranscription]) }, ...files },
}

export const openaiRoutes = routerFor('OpenAI API')

const formOf = (name: string, { shape }: z.ZodObject) => formBody(openaiRoutes, name, { file: sentFile, ...shape })

const waiting = `The response waits for the transcript, however long that takes. For a minute nothing is sent, so that a failure
has its status. After that the response is a 200 that begins with a blank or a line end every ten seconds. If the job then fails, the
connection breaks off, and the same request, sent again within ten minutes, returns the error. The id of the job is in the header
\`X-Haul-Job-Id\`.`

const errors = openaiErrors(400, 402, 403, 404, 410, 413, 415, 500, 502, 503, 504)

openaiRoutes.add('POST /v1/audio/transcriptions', {
  operationId: 'createOpenaiTranscription',
  summary: 'Transcribe a file or a URL and wait for the transcript',
  description: `For programs that use OpenAI's packages: \`base_url\` is this service with \`/v1\`, and the API key is yours. An ordinary transcription runs. ${waiting}

Requests with the same key, media and options share a job until ten minutes after its end. \`response_format\`, \`stream\` and \`timestamp_granularities[]\` may differ. A failed job is only shared if the same media would fail again. Media without speech has an empty transcript, which is free.

The segments of \`verbose_json\` have times and text. Other measurements are not known: \`seek\`, \`temperature\`, \`avg_logprob\` and \`no_speech_prob\` are always 0, \`compression_ratio\` is 1, and \`tokens\` is empty. \`language\` is \`unknown\` if nothing says which it is.`,
  guards: [apiKey('transcribe', 'transcribe')],
  request: { body: formOf('OpenaiTranscriptionForm', forms.transcribe) },
  responses: { 200: transcriptionResponse, ...errors },
  refusedAs: openaiErrors,
  handle: (c) => respondToForm(c, 'transcribe'),
})

openaiRoutes.add('POST /v1/audio/translations', {
  operationId: 'createOpenaiTranslation',
  summary: 'Transcribe the speech of a file or a URL into English and wait for the transcript',
  description: `The built-in speech recognition translates while it listens, so \`model\` must not be a provider. ${waiting}`,
  guards: [apiKey('transcribe', 'transcribe')],
  request: { body: formOf('OpenaiTranslationForm', forms.translate) },
  responses: { 200: translationResponse, ...errors },
  refusedAs: openaiErrors,
  handle: (c) => respondToForm(c, 'translate'),
})

const respondToForm = (c: Context<HttpEnv>, task: Asked['task']): Promise<Response> => {
  const config = configOf(c.env)
  return transcribeForm(c, {
    fileField: 'file',
    fields: fieldNames,
    read: async (fields, source) => {
      const { data: form, error } = forms[task].safeParse(valuesOf(fields))
      if (error) return refuseCounted(c, invalidRequest(error))
      const models = await modelsFor(c, form.model)
      const named = modelNamed(form.model, config.openaiModels, namesOf(models))
      if (!named) return whenAuthenticated(c, () => refuseModel(c, form.model, models))
      const engine = engineOf(named)
      const asked = askedOf(task, form)
      if (task === 'translate' && engine.provider !== 'builtin') return refuseCounted(c, noTranslation)
      const wanted = withoutSpareWords(optionsOf(engine, form, asked, source), models, { needsWords: asked.words })
      const options = await withUsablePrompt(c, wanted)
      const rendering = {
        ...(asked.stream ? eventsRendering(asked) : bodyRendering(asked)),
        failed: (job: Job, reason: Failure) => respondFailed(c, job, reason),
        stillRunning: (jobId: string) => respondStillRunning(c, jobId),
      }
      return { options, url: form.url, rendering }
    },
  })
}

const namesOf = (models: readonly OfferedModel[]): string[] => models.map(({ name }) => name)

/** The models of the deployment, as far as they are known. Only for a name that nothing else explains, an engine is asked. */
const modelsFor = async (c: Context<HttpEnv>, name: string): Promise<OfferedModel[]> => {
  const { models } = await offerFor(c)
  if (modelNamed(name, configOf(c.env).openaiModels, namesOf(models))) return models
  return (await offerFor(c, { asksEngine: true })).models
}

const onlyBuiltin = 'Only the built-in speech recognition translates.'
const noTranslation = refusal('OPTION_UNSUPPORTED', { details: [{ path: 'model', message: onlyBuiltin }] }, onlyBuiltin)

const respondStillRunning = (c: Context<HttpEnv>, jobId: string): Response => {
  c.header('Retry-After', '1')
  return respondOpenaiError(c, {
    status: 504,
    code: 'TRANSCRIPT_NOT_READY' satisfies RefusalCode,
    message: `The transcription ${jobId} is still running. Send the same request again to wait for it, or read GET /transcribe/status?id=${jobId}.`,
    facts: { jobId },
  })
}

const respondFailed = (c: Context<HttpEnv>, job: Job, reason: Failure): Response => {
  const retryAfter = retryAfterSeconds[reason.code]
  if (retryAfter !== undefined) c.header('Retry-After', `${retryAfter}`)
  return respondOpenaiError(c, failedJobError(job, reason))
}

/** The API requires a time. This is the day of the first release that has these models. */
const CREATED = Date.UTC(2026, 10, 22) / 1_000

const modelObject = (id: string) => ({ id, object: 'model' as const, created: CREATED, owned_by: 'haul' })

const Model = named('OpenaiModel', {
  id: z.string().openapi({ example: 'haul-auto' }),
  object: z.literal('model'),
  created: z.number().int().openapi({ description: 'In Unix seconds.', example: CREATED }),
  owned_by: z.string().openapi({ example: 'haul' }),
})

openaiRoutes.add('GET /v1/models', {
  operationId: 'listModels',
  summary: 'List the models of the OpenAI API',
  guards: [apiKey('general', 'transcribe')],
  responses: { 200: plainJson(z.object({ object: z.literal('list'), data: z.array(Model) })) },
  refusedAs: openaiErrors,
  handle: (c) => {
    return whenAuthenticated(c, async () => {
      const { models } = await offerFor(c)
      const data = listedModels(configOf(c.env).openaiModels, namesOf(models)).map(modelObject)
      return c.json({ object: 'list', data })
    })
  },
})

openaiRoutes.add('GET /v1/models/{model}', {
  operationId: 'getModel',
  summary: 'Retrieve a model of the OpenAI API',
  guards: [apiKey('general', 'transcribe')],
  responses: { 200: plainJson(Model), ...openaiErrors(404) },
  refusedAs: openaiErrors,
  handle: (c) => {
    const { model } = c.req.param()
    return whenAuthenticated(c, async () => {
      const { models } = await offerFor(c)
      const named = modelNamed(model, configOf(c.env).openaiModels, namesOf(models))
      return named ? c.json(modelObject(model)) : refuseModel(c, model, models)
    })
  },
})

/** The code is the one of OpenAI, because programs check for it. */
const refuseModel = (c: Context<HttpEnv>, name: string, models: readonly OfferedModel[]): Response =>
  respondOpenaiError(c, {
    status: 404,
    code: 'model_not_found',
    message: `The model ${JSON.stringify(name.slice(0, 100))} does not exist. ${modelsThatExist(configOf(c.env).openaiModels, namesOf(models))}`,
    param: 'model',
  })
