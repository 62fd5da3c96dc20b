import { z } from '@hono/zod-openapi'
import { create } from 'content-disposition'
import type { Context } from 'hono'
import { type Refusal, refusal } from '../../../domain/codes/refusals.ts'
import type { Job, TranscribeRequest, TranscriptionJob } from '../../../domain/jobs/job.ts'
import { transcriptionHold } from '../../../domain/money/bill.ts'
import { configOf } from '../../env.ts'
import { transcriptFile } from '../../media/transcripts.ts'
import { isThirdParty } from '../../speech/configured-providers.ts'
import { contentTypes } from '../../speech/transcript-formats.ts'
import { apiKey, idempotencyKey, jsonBody } from '../guards.ts'
import { announcedMedia } from '../jobs/announced-media.ts'
import { checkSourceUrl } from '../jobs/check-source-url.ts'
import { type Assessment, startJob, webhookUrlProblem } from '../jobs/start-job.ts'
import {
  readStatus,
  StartedJob,
  TranscriptionStatus,
  TranscriptionStatusQuery,
  waitDescription,
} from '../jobs/status.ts'
import { optionsProblem } from '../jobs/transcribe-options.ts'
import { sourceOf, TranscribeBody, transcribeRequestOf } from '../jobs/transcribe-request.ts'
import { TranscriptQuery } from '../jobs/transcript-query.ts'
import { account, type HttpEnv, identity, outbound } from '../request-context.ts'
import { handleAnswer, refuse } from '../respond.ts'
import { createRouter, route } from '../router.ts'
import { json, ok, refusals } from '../schemas.ts'
import { sealedKeyFor } from './provider-keys.ts'

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
    request: { body: json(TranscribeBody) },
    responses: { 202: ok(StartedJob, 'The job is queued.'), ...refusals(402, 403, 404, 409, 410) },
  },
  (c) => {
    const body = c.req.valid('json')
    const request = transcribeRequestOf(sourceOf(body), body)
    const { webhookUrl, reuseWithinSeconds } = body
    const start = { kind: 'transcription', webhookUrl, request, reuseWithinSeconds } as const
    return startJob(c, { ...start, assess: () => assess(c, body, request) })
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
    request: { query: TranscriptionStatusQuery },
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
    description:
      'As JSON with word times and speakers where there are any, as plain text or Markdown in paragraphs, as SubRip or WebVTT subtitles, or as a table of tab-separated values.',
    guards: [apiKey('status')],
    request: { query: TranscriptQuery },
    responses: {
      200: {
        description: 'The file.',
        content: Object.fromEntries(Object.values(contentTypes).map((type) => [type.split(';')[0], file])),
      },
      ...refusals(400, 404, 409, 410),
    },
  },
  async (c) => {
    const { id, format, ...layout } = c.req.valid('query')
    return handleAnswer(c, await account(c).read(identity(c), id, 'transcription'), async ({ job }) => {
      if (!isCompleted(job)) return refuse(c, noTranscript(job))
      const transcript = await transcriptFile(c.env, job, format, layout)
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

const assess = async (
  c: Context<HttpEnv>,
  body: z.infer<typeof TranscribeBody>,
  request: TranscribeRequest,
): Promise<Assessment> => {
  const provider = body.provider ?? null
  const problem = optionsProblem(configOf(c.env), body) ?? (await webhookUrlProblem(c, body.webhookUrl))
  if (problem) return { ok: false, refusal: problem }
  const key = isThirdParty(provider) ? await sealedKeyFor(c, provider, body.apiKey) : { sealed: null }
  if (!key) return { ok: false, refusal: refusal('PROVIDER_KEY_REQUIRED') }
  // A stored file is looked for in the call that admits the job.
  if (request.url === null) {
    return { ok: true, request, hold: transcriptionHold(request, 0), diskBytes: null, sealedKey: key.sealed }
  }
  const source = await checkSourceUrl(outbound(c), request.url)
  if (!source) return { ok: false, refusal: refusal('UNREACHABLE_URL') }
  const { billedBytes, diskBytes } = announcedMedia(configOf(c.env), 'transcription', request, source)
  return { ok: true, request, hold: transcriptionHold(request, billedBytes), diskBytes, sealedKey: key.sealed }
}
