import { z } from '@hono/zod-openapi'
import { create } from 'content-disposition'
import { refusal } from '../../../domain/codes/refusals.ts'
import { asksForWords } from '../../../domain/jobs/job.ts'
import { hadWords } from '../../../domain/jobs/parts.ts'
import { readableTranscript } from '../../../domain/jobs/readable-words.ts'
import { contentTypes, transcriptFormats } from '../../../domain/words/transcript-formats.ts'
import { configOf } from '../../env.ts'
import { transcriptFile } from '../../media/transcripts.ts'
import { defaultLayout } from '../../speech/transcript-layout.ts'
import { apiKey, idempotencyKey, jsonBody } from '../guards.ts'
import { withEngine } from '../jobs/options-problem.ts'
import { assessTranscription, startJob } from '../jobs/start-job.ts'
import { TranscribeBody, transcribeRequestOf } from '../jobs/start-requests.ts'
import {
  readStatus,
  StartedJob,
  TranscriptionStatus,
  TranscriptionStatusQuery,
  waitDescription,
} from '../jobs/status.ts'
import { account, identity } from '../request-context.ts'
import { handleAnswer, refuse, refuseCounted } from '../respond.ts'
import { routerFor } from '../router.ts'
import { Flag, JobIdQuery, json, ok, refusals, wholeNumber } from '../schemas.ts'

export const transcriptionRoutes = routerFor('Transcriptions')

transcriptionRoutes.add('POST /transcribe', {
  operationId: 'startTranscription',
  summary: 'Start a transcription',
  description:
    'Without `mode` and `provider`, the captions of the source are extracted. If it has none, the job fails with `TRANSCRIPTION_PROVIDER_REQUIRED` and a quote. To accept the quote, repeat the request with `provider: "builtin"`. With `mode: "auto"`, speech is recognized at once where there are no captions, for at most `maxCostDollars`. Failed jobs are not charged.',
  guards: [apiKey('transcribe', 'transcribe'), jsonBody, idempotencyKey],
  request: { body: json(TranscribeBody) },
  responses: { 202: ok(StartedJob, 'The job is queued.'), ...refusals(402, 403, 404, 409, 410) },
  handle: (c) => {
    const body = c.req.valid('json')
    const chosen = withEngine(configOf(c.env), body)
    if (!chosen.ok) return refuseCounted(c, chosen.refusal)
    const options = chosen.value
    const request = transcribeRequestOf(body, options)
    const { reuseWithinSeconds, metadata } = body
    return startJob(c, {
      job: { kind: 'transcription', request },
      metadata,
      reuseWithinSeconds,
      assess: () => assessTranscription(c, options, request),
    })
  },
})

transcriptionRoutes.add('GET /transcribe/status', {
  operationId: 'getTranscription',
  summary: 'Retrieve the status of a transcription',
  description: waitDescription,
  guards: [apiKey('status', 'read', 'transcribe')],
  request: { query: TranscriptionStatusQuery },
  responses: { 200: ok(TranscriptionStatus), ...refusals(400, 404) },
  handle: (c) => readStatus(c, 'transcription', c.req.valid('query')),
})

const lineChars = 'The most characters of a line in srt and vtt. Chinese, Japanese and Korean ones count twice.'
const TranscriptQuery = z.object({
  id: JobIdQuery,
  format: z.enum(transcriptFormats).default('json'),
  speakers: Flag.describe('`1`: names before lines in txt, md, srt and vtt. JSON and tsv always have the speakers.'),
  chapters: Flag.describe('`1`: the titles of chapters as headings in txt and md.'),
  maxLineChars: wholeNumber(20, 100, defaultLayout.maxLineChars, lineChars),
  maxLines: wholeNumber(1, 3, defaultLayout.maxLines, 'The most lines of a subtitle in srt and vtt.'),
})

const file = { schema: z.string() }

transcriptionRoutes.add('GET /transcribe/transcript', {
  operationId: 'getTranscript',
  summary: 'Download the transcript of a completed job',
  description:
    'As JSON with word times and speakers where there are any, as plain text or Markdown in paragraphs, as SubRip or WebVTT subtitles, or as a table of tab-separated values.',
  guards: [apiKey('status', 'read', 'transcribe')],
  request: { query: TranscriptQuery },
  responses: {
    200: {
      description: 'The file.',
      content: Object.fromEntries(Object.values(contentTypes).map((type) => [type.split(';')[0], file])),
    },
    ...refusals(400, 404, 409, 410),
  },
  handle: (c) => {
    const { id, format, ...layout } = c.req.valid('query')
    return handleAnswer(c, account(c).read(identity(c), id, null), async ({ job }) => {
      // An import that was asked for no words has none.
      if (job.kind === 'import' && !asksForWords(job.request)) return refuse(c, refusal('JOB_NOT_FOUND'))
      if (job.state !== 'completed') {
        return refuse(c, job.state === 'failed' ? hasFailed : refusal('TRANSCRIPT_NOT_READY'))
      }
      const found = readableTranscript(job)
      const transcript = found && (await transcriptFile(c.env, job.id, found, format, layout))
      if (!transcript) return refuse(c, job.kind === 'import' && !hadWords(job.parts ?? []) ? hasNone : removed)
      return c.body(transcript.body, 200, {
        'Content-Type': transcript.contentType,
        'Content-Disposition': create(`${job.id}.${format}`, { type: 'attachment' }),
        'Cache-Control': 'private, no-store',
      })
    })
  },
})

const removed = refusal('MEDIA_EXPIRED', {}, 'The transcript was removed.')
const hasNone = refusal('NOT_FOUND', {}, 'The import has neither a transcript nor captions: see its files.')
const hasFailed = refusal('NOT_FOUND', {}, 'The job failed, so it has no transcript.')
