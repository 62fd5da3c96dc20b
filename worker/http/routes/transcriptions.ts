import { z } from '@hono/zod-openapi'
import { create } from 'content-disposition'
import type { Context } from 'hono'
import { type Refusal, refusal } from '../../../domain/codes/refusals.ts'
import { type Job, providerSlots, type TranscriptionJob } from '../../../domain/jobs/job.ts'
import { transcriptionHold } from '../../../domain/money/bill.ts'
import { fromDollars } from '../../../domain/money/money.ts'
import { configOf } from '../../env.ts'
import { transcriptFile } from '../../media/transcripts.ts'
import { isThirdParty, providerAt } from '../../speech/configured-providers.ts'
import { refusedOptions } from '../../speech/providers/provider.ts'
import { transcriptFormats } from '../../speech/transcript-formats.ts'
import { apiKey, idempotencyKey, jsonBody } from '../guards.ts'
import { announcedMedia } from '../jobs/announced-media.ts'
import { checkSourceUrl } from '../jobs/check-source-url.ts'
import { type Assessment, startJob, webhookUrlProblem } from '../jobs/start-job.ts'
import { readStatus, StartedJob, StatusQuery, TranscriptionStatus, waitDescription } from '../jobs/status.ts'
import { account, type HttpEnv, identity, outbound } from '../request-context.ts'
import { handleAnswer, refuse } from '../respond.ts'
import { createRouter, route } from '../router.ts'
import { HttpUrl, JobIdQuery, json, ok, ProviderKey, refusals } from '../schemas.ts'
import { sealedKeyFor } from './provider-keys.ts'

const MAX_OPTIONS_CHARACTERS = 16_384
const MAX_OPTION_NAME_CHARACTERS = 200
const MAX_DOLLARS = 10_000

const TranscribeRequest = z
  .strictObject({
    url: HttpUrl.openapi({ description: 'A publicly accessible media URL.' }),
    language: z
      .string()
      .max(35)
      .regex(/^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$/, 'must be a language code such as en or pt-BR')
      .optional()
      .openapi({ description: 'A language code. Detected when omitted.', example: 'en' }),
    provider: z.enum(['provider_a', 'provider_b', 'provider_c', 'builtin']).optional().openapi({
      description: 'The speech recognition to use. When omitted, the captions of the source are extracted.',
    }),
    captionsFirst: z.boolean().default(false).openapi({
      description: 'With a provider: extract captions if the source has them, at the price of captions.',
    }),
    apiKey: ProviderKey.optional().openapi({
      description:
        'Your key for the provider. It is encrypted, and deleted when the job ends. Defaults to the stored key.',
    }),
    providerOptions: z
      .record(z.string().max(MAX_OPTION_NAME_CHARACTERS), z.unknown())
      .refine((options) => JSON.stringify(options).length <= MAX_OPTIONS_CHARACTERS, 'must be at most 16 KiB of JSON')
      .optional()
      .openapi({
        description: 'Options for the provider, passed on unchanged.',
        // Spread, because the library's type of it is that of OpenAPI 3.0.
        ...{ propertyNames: { maxLength: MAX_OPTION_NAME_CHARACTERS } },
      }),
    maxCostDollars: z.number().positive().max(MAX_DOLLARS).optional().openapi({
      description:
        'The most that this job may be charged, including the download. Required with `builtin` if the duration is not known up front. Does not include what the provider bills you.',
    }),
    webhookUrl: HttpUrl.optional().openapi({ description: 'Receives a webhook when the job ends.' }),
  })
  .superRefine(({ provider, apiKey, providerOptions }, context) => {
    if (isThirdParty(provider ?? null)) return
    const message = 'is only allowed with provider_a, provider_b or provider_c'
    if (apiKey !== undefined) context.addIssue({ code: 'custom', path: ['apiKey'], message })
    if (providerOptions !== undefined) context.addIssue({ code: 'custom', path: ['providerOptions'], message })
  })
  .openapi('TranscribeRequest', {
    not: {
      anyOf: [{ required: ['apiKey'] }, { required: ['providerOptions'] }],
      not: { required: ['provider'], properties: { provider: { enum: [...providerSlots] } } },
    },
  })

type TranscribeBody = z.infer<typeof TranscribeRequest>

const tags = ['Transcriptions']

export const transcriptionRoutes = createRouter()

route(
  transcriptionRoutes,
  {
    method: 'post',
    path: '/transcribe',
    tags,
    summary: 'Start a transcription',
    description:
      'Without a provider, the captions of the source are extracted. If it has none, the job fails with `TRANSCRIPTION_PROVIDER_REQUIRED` and a quote. To accept the quote, repeat the request with `provider: "builtin"`. Failed jobs are not charged.',
    guards: [apiKey('transcribe'), jsonBody, idempotencyKey],
    request: { body: json(TranscribeRequest) },
    responses: { 202: ok(StartedJob, 'The job is queued.'), ...refusals(402, 403) },
  },
  (c) => {
    const body = c.req.valid('json')
    return startJob(c, { kind: 'transcription', webhookUrl: body.webhookUrl, assess: () => assess(c, body) })
  },
)

route(
  transcriptionRoutes,
  {
    method: 'get',
    path: '/transcribe/status',
    tags,
    summary: 'Retrieve the status of a transcription',
    description: waitDescription,
    guards: [apiKey('status')],
    request: { query: StatusQuery },
    responses: { 200: ok(TranscriptionStatus), ...refusals(400, 404) },
  },
  (c) => readStatus(c, 'transcription', c.req.valid('query')),
)

const file = { schema: z.string() }

route(
  transcriptionRoutes,
  {
    method: 'get',
    path: '/transcribe/transcript',
    tags,
    summary: 'Download the transcript of a completed transcription',
    description: 'As JSON, as plain text in paragraphs, or as subtitles with lines of at most 42 characters.',
    guards: [apiKey('status')],
    request: { query: z.object({ id: JobIdQuery, format: z.enum(transcriptFormats).default('json') }) },
    responses: {
      200: {
        description: 'The file.',
        content: { 'application/json': file, 'text/plain': file, 'application/x-subrip': file, 'text/vtt': file },
      },
      ...refusals(400, 404, 409, 410),
    },
  },
  async (c) => {
    const { id, format } = c.req.valid('query')
    return handleAnswer(c, await account(c).read(identity(c), id, 'transcription'), async ({ job }) => {
      if (!isCompleted(job)) return refuse(c, noTranscript(job))
      const transcript = await transcriptFile(c.env, job, format)
      if (!transcript) return refuse(c, refusal('MEDIA_EXPIRED', {}, 'The transcript was removed.'))
      return c.body(transcript.body, 200, {
        'Content-Type': transcript.contentType,
        'Content-Disposition': create(`${job.id}.${format}`, { type: 'attachment' }),
        'Cache-Control': 'private, no-store',
      })
    })
  },
)

const isCompleted = (job: Job): job is TranscriptionJob => job.kind === 'transcription' && job.state === 'completed'

const noTranscript = ({ state }: Job): Refusal =>
  state === 'failed'
    ? refusal('NOT_FOUND', {}, 'The transcription failed, so it has no transcript.')
    : refusal('TRANSCRIPT_NOT_READY')

const assess = async (c: Context<HttpEnv>, body: TranscribeBody): Promise<Assessment> => {
  const { apiKey, providerOptions, maxCostDollars, ...rest } = body
  const provider = body.provider ?? null
  const problem = optionsProblem(c, body) ?? (await webhookUrlProblem(c, body.webhookUrl))
  if (problem) return { ok: false, refusal: problem }
  const key = isThirdParty(provider) ? await sealedKeyFor(c, provider, apiKey) : { sealed: null }
  if (!key) return { ok: false, refusal: refusal('PROVIDER_KEY_REQUIRED') }
  const source = await checkSourceUrl(outbound(c), body.url)
  if (!source) return { ok: false, refusal: refusal('UNREACHABLE_URL') }
  const request = {
    ...rest,
    language: body.language ?? null,
    provider,
    providerOptions: providerOptions ? JSON.stringify(providerOptions) : null,
    maxCostMicros: maxCostDollars === undefined ? null : fromDollars(maxCostDollars),
    webhookUrl: body.webhookUrl ?? null,
  }
  const { billedBytes, diskBytes } = announcedMedia(configOf(c.env), 'transcription', request, source)
  return { ok: true, request, hold: transcriptionHold(request, billedBytes), diskBytes, sealedKey: key.sealed }
}

/** Options that the service sets itself are refused here, instead of being overridden without notice. */
const optionsProblem = (c: Context<HttpEnv>, { provider, providerOptions }: TranscribeBody): Refusal | null => {
  if (!provider || !isThirdParty(provider) || !providerOptions) return null
  const refused = refusedOptions(providerAt(configOf(c.env), provider), providerOptions)
  if (refused.length === 0) return null
  const details = refused.map(({ option, message }) => ({ path: `providerOptions.${option}`, message }))
  return refusal('INVALID_REQUEST', { details })
}
