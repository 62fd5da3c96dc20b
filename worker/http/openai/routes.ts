import type { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { Failure } from '../../../domain/codes/failures.ts'
import { type RefusalCode, refusal } from '../../../domain/codes/refusals.ts'
import type { Job } from '../../../domain/jobs/job.ts'
import { configOf } from '../../env.ts'
import { apiKey } from '../guards.ts'
import { withUsablePrompt } from '../jobs/options-problem.ts'
import { type Rendering, respondWhenEnded } from '../one-call/respond-when-ended.ts'
import { type Form, type SentFields, startTranscription } from '../one-call/start-transcription.ts'
import type { HttpEnv } from '../request-context.ts'
import { refuseCounted, respondOpenaiError } from '../respond.ts'
import { routerFor } from '../router.ts'
import { invalidRequest } from '../validation-messages.ts'
import {
  openaiErrors,
  registerForms,
  transcriptionForm,
  transcriptionResponse,
  translationForm,
  translationResponse,
} from './documented.ts'
import { failedJobError, retryAfterSeconds } from './errors.ts'
import { modelRoutes, unknownModel } from './models.ts'
import { bodyRendering } from './response-body.ts'
import { eventsRendering } from './response-events.ts'
import {
  type Asked,
  engineNamed,
  fieldNames,
  optionsOf,
  TranscriptionForm,
  TranslationForm,
  transcriptionAsked,
  translationAsked,
  valuesOf,
} from './transcription-form.ts'

export const openaiRoutes = routerFor('OpenAI API')
registerForms(openaiRoutes)

const waiting = `The response comes when the transcript is there, however long that takes. For a minute nothing is sent, so that a failure
has its status. After that the response is a 200 that begins with a blank or a line end every ten seconds. If the job then fails, the
connection breaks off, and the same request, sent again within ten minutes, is told the error. The id of the job is in the header
\`X-Haul-Job-Id\`.`

const errors = openaiErrors(400, 402, 403, 404, 410, 413, 415, 500, 502, 503, 504)

openaiRoutes.add('POST /v1/audio/transcriptions', {
  operationId: 'createOpenaiTranscription',
  summary: 'Transcribe a file or a URL and wait for the transcript',
  description: `For programs that use OpenAI's packages: \`base_url\` is this service with \`/v1\`, and the API key is yours. An ordinary transcription runs. ${waiting}

Requests with the same key, media and options share a job until ten minutes after its end. \`response_format\`, \`stream\` and \`timestamp_granularities[]\` may differ. A failed job is only shared if the same media would fail again. Media without speech has an empty transcript, which is free.

The segments of \`verbose_json\` have times and text. Other measurements are not known: \`seek\`, \`temperature\`, \`avg_logprob\` and \`no_speech_prob\` are always 0, \`compression_ratio\` is 1, and \`tokens\` is empty. \`language\` is \`unknown\` if nothing says which it is.`,
  guards: [apiKey('transcribe', 'transcribe')],
  request: { body: transcriptionForm },
  responses: { 200: transcriptionResponse, ...errors },
  refusedAs: openaiErrors,
  handle: (c) => respondToForm(c, (fields) => read(TranscriptionForm, fields, transcriptionAsked)),
})

openaiRoutes.add('POST /v1/audio/translations', {
  operationId: 'createOpenaiTranslation',
  summary: 'Transcribe the speech of a file or a URL into English and wait for the transcript',
  description: `The built-in speech recognition translates while it listens, so \`model\` must not be a provider. ${waiting}`,
  guards: [apiKey('transcribe', 'transcribe')],
  request: { body: translationForm },
  responses: { 200: translationResponse, ...errors },
  refusedAs: openaiErrors,
  handle: (c) => respondToForm(c, (fields) => read(TranslationForm, fields, translationAsked)),
})

openaiRoutes.route('/', modelRoutes)

type SentForm = Partial<Pick<z.infer<typeof TranscriptionForm>, 'url' | 'language' | 'max_cost_dollars' | 'prompt'>> & {
  model: string
}
type ReadForm = { form: SentForm; asked: Asked } | { error: z.ZodError }

const read = <Parsed extends SentForm>(
  schema: z.ZodType<Parsed>,
  fields: SentFields,
  askedOf: (form: Parsed) => Asked,
): ReadForm => {
  const { data, error } = schema.safeParse(valuesOf(fields))
  return error ? { error } : { form: data, asked: askedOf(data) }
}

const respondToForm = async (c: Context<HttpEnv>, readFields: (fields: SentFields) => ReadForm): Promise<Response> => {
  const form: Form<Asked> = {
    ...{ fileField: 'file', fields: fieldNames },
    read: (fields, source) => {
      const sent = readFields(fields)
      if ('error' in sent) return refused(() => refuseCounted(c, invalidRequest(sent.error)))
      const { model, url } = sent.form
      const engine = engineNamed(model, configOf(c.env).openaiModels)
      if (!engine) return refused(() => unknownModel(c, model))
      if (sent.asked.task === 'translate' && engine.provider !== 'builtin')
        return refused(() => refuseCounted(c, noTranslation))
      const options = withUsablePrompt(configOf(c.env), optionsOf(engine, sent.form, sent.asked, source))
      return { ok: true, value: { asked: sent.asked, options, url } }
    },
  }
  const started = await startTranscription(c, form)
  return started instanceof Response ? started : respondWhenEnded(c, started, renderingOf(c, started.asked))
}

const refused = (refuse: () => Promise<Response>) => ({ ok: false as const, refuse })

const onlyBuiltin = 'Only the built-in speech recognition translates.'
const noTranslation = refusal('OPTION_UNSUPPORTED', { details: [{ path: 'model', message: onlyBuiltin }] }, onlyBuiltin)

const renderingOf = (c: Context<HttpEnv>, asked: Asked): Rendering => ({
  ...(asked.stream ? eventsRendering(asked) : bodyRendering(asked)),
  failed: (job, reason) => respondFailed(c, job, reason),
  stillRunning: (jobId) => respondStillRunning(c, jobId),
})

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
