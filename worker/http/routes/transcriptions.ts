import { createRoute, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { refusal } from '../../domain/codes/refusals.ts'
import { MAX_WAIT_SECONDS } from '../../domain/limits.ts'
import { transcriptionHold } from '../../domain/money/bill.ts'
import { fromDollars } from '../../domain/money/money.ts'
import { api, route } from '../api.ts'
import type { Api } from '../context.ts'
import { reach } from '../jobs/reach.ts'
import { type Assessment, start, webhookProblem } from '../jobs/start.ts'
import { readStatus, StartedJob, StatusQuery } from '../jobs/status.ts'
import { TranscriptionStatus } from '../jobs/transcription-status.ts'
import { HttpUrl, json, keyed, ok, ProviderKey, refusals } from '../schemas.ts'
import { sealedKeyFor } from './provider-keys.ts'

const MAX_OPTIONS_CHARACTERS = 16_384
const MAX_DOLLARS = 10_000

const isThirdParty = (provider: string | undefined): provider is 'provider_a' | 'provider_b' | 'provider_c' =>
  provider !== undefined && provider !== 'builtin'

export const TranscribeRequest = z
  .strictObject({
    url: HttpUrl.openapi({ description: 'Publicly accessible media URL to transcribe.' }),
    language: z
      .string()
      .max(35)
      .regex(/^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$/, 'must be a language code such as en or pt-BR')
      .optional()
      .openapi({ description: 'Language code. Detected when omitted.', example: 'en' }),
    provider: z.enum(['provider_a', 'provider_b', 'provider_c', 'builtin']).optional().openapi({
      description: 'Who transcribes media without captions. When omitted, existing captions are extracted.',
    }),
    captionsFirst: z.boolean().default(false).openapi({
      description: 'With a provider: take captions where there are any, at their price.',
    }),
    apiKey: ProviderKey.optional().openapi({
      description: 'Your key for the provider. Kept sealed, and only until the job ends. Else the stored one is used.',
    }),
    providerOptions: z
      .record(z.string().max(200), z.unknown())
      .refine((options) => JSON.stringify(options).length <= MAX_OPTIONS_CHARACTERS, 'must be at most 16 KiB of JSON')
      .optional()
      .openapi({ description: 'Options of the provider, passed on unchanged.' }),
    maxCostDollars: z.number().positive().max(MAX_DOLLARS).optional().openapi({
      description:
        'Ceiling for all that this job is charged, its download included. Required with `builtin` where the duration is not known up front. What a provider bills you itself is not in it.',
    }),
    webhookUrl: HttpUrl.optional().openapi({ description: 'Receives a callback when the job ends.' }),
  })
  .superRefine(({ provider, apiKey, providerOptions }, context) => {
    if (isThirdParty(provider)) return
    const message = 'goes with provider_a, provider_b or provider_c only'
    if (apiKey !== undefined) context.addIssue({ code: 'custom', path: ['apiKey'], message })
    if (providerOptions !== undefined) context.addIssue({ code: 'custom', path: ['providerOptions'], message })
  })
  .openapi('TranscribeRequest')

type TranscribeBody = z.infer<typeof TranscribeRequest>

const startTranscription = createRoute({
  method: 'post',
  path: '/transcribe',
  tags: ['Transcriptions'],
  summary: 'Start a transcription',
  description:
    'Without a provider the captions of the source are taken. Where there are none the job fails with `TRANSCRIPTION_PROVIDER_REQUIRED` and a quote: send the request again with `provider: "builtin"` to accept it. Failed jobs are not charged.',
  ...keyed,
  request: {
    headers: z.object({ 'idempotency-key': z.string().optional() }),
    body: json(TranscribeRequest),
  },
  responses: { 202: ok(StartedJob, 'The job is queued.'), ...refusals(400, 401, 402, 409, 413, 415, 422, 429) },
})

const statusRoute = createRoute({
  method: 'get',
  path: '/transcribe/status',
  tags: ['Transcriptions'],
  summary: 'Read the status of a transcription',
  description: `\`wait\` holds the answer back until the job has ended, up to ${MAX_WAIT_SECONDS} seconds.`,
  ...keyed,
  request: { query: StatusQuery },
  responses: { 200: ok(TranscriptionStatus), ...refusals(400, 401, 404, 429) },
})

export const transcriptions = api()

route(transcriptions, startTranscription, async (c) => {
  const body = c.req.valid('json')
  return start(
    c,
    'transcription',
    () => assess(c, body),
    ({ jobId }) => ({
      jobId,
      status: 'queued',
      message: body.webhookUrl
        ? 'The transcription is queued. A webhook is sent to webhookUrl when it ends.'
        : 'The transcription is queued. Poll GET /transcribe/status, or send webhookUrl to get a webhook when it ends.',
    }),
  )
})

route(transcriptions, statusRoute, async (c) => await readStatus(c, 'transcription', c.req.valid('query')))

const assess = async (c: Context<Api>, body: TranscribeBody): Promise<Assessment> => {
  const { apiKey, providerOptions, maxCostDollars, ...rest } = body
  const problem = optionsProblem(c, body) ?? (await webhookProblem(c, body.webhookUrl))
  if (problem) return { ok: false, refusal: problem }
  const key = isThirdParty(body.provider) ? await sealedKeyFor(c, body.provider, apiKey) : { sealed: null }
  if (!key) return { ok: false, refusal: refusal('PROVIDER_KEY_REQUIRED') }
  const reached = await reach(c.var.parts.outbound, body.url)
  if (!reached) return { ok: false, refusal: refusal('UNREACHABLE_URL') }
  const request = {
    ...rest,
    language: body.language ?? null,
    provider: body.provider ?? null,
    providerOptions: providerOptions ? JSON.stringify(providerOptions) : null,
    maxCostMicros: maxCostDollars === undefined ? null : fromDollars(maxCostDollars),
    webhookUrl: body.webhookUrl ?? null,
  }
  return { ok: true, request, hold: transcriptionHold(request, reached.sizeBytes), sealedKey: key.sealed }
}

/** Told now rather than overridden behind the caller's back. */
const optionsProblem = (c: Context<Api>, { provider, providerOptions }: TranscribeBody) => {
  if (!isThirdParty(provider) || !providerOptions) return null
  const refused = c.var.parts.provider(provider).refused(providerOptions)
  if (refused.length === 0) return null
  const details = refused.map(({ option, message }) => ({ path: `providerOptions.${option}`, message }))
  return refusal('INVALID_REQUEST', { details })
}
