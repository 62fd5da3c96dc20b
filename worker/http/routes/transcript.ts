import { createRoute, z } from '@hono/zod-openapi'
import { create } from 'content-disposition'
import { type Refusal, refusal } from '../../domain/codes/refusals.ts'
import type { Job, TranscriptionJob } from '../../domain/jobs/job.ts'
import { transcriptFormats } from '../../domain/words/formats.ts'
import { account, api, pass, route } from '../api.ts'
import { refuse } from '../respond.ts'
import { JobIdQuery, keyed, refusals } from '../schemas.ts'

const file = { schema: z.string() }

const download = createRoute({
  method: 'get',
  path: '/transcribe/transcript',
  tags: ['Transcriptions'],
  summary: 'Download a finished transcript',
  description: 'As JSON, as text in paragraphs, or as subtitles with lines of at most 42 characters.',
  ...keyed,
  request: {
    query: z.object({
      id: JobIdQuery,
      format: z.enum(transcriptFormats).default('json'),
    }),
  },
  responses: {
    200: {
      description: 'The file.',
      content: { 'application/json': file, 'text/plain': file, 'application/x-subrip': file, 'text/vtt': file },
    },
    ...refusals(400, 401, 404, 409, 410, 429),
  },
})

export const transcript = api()

route(transcript, download, async (c) => {
  const { id, format } = c.req.valid('query')
  const { rate, result } = await account(c).read(pass(c), id, 'transcription')
  c.set('rate', rate)
  if (!result.ok) return refuse(c, result.refusal)
  const { job } = result.value
  if (!isFinished(job)) return refuse(c, notThere(job))
  const made = await c.var.parts.transcriptFile(job, format)
  if (!made) return refuse(c, refusal('MEDIA_EXPIRED', {}, 'The transcript was removed.'))
  return c.body(made.body, 200, {
    'Content-Type': made.contentType,
    'Content-Disposition': create(`${job.id}.${format}`, { type: 'attachment' }),
    'Cache-Control': 'private, no-store',
    'X-Content-Type-Options': 'nosniff',
  })
})

const isFinished = (job: Job): job is TranscriptionJob => job.kind === 'transcription' && job.state === 'completed'

/** One that is yet to come, and one that never will. */
const notThere = ({ state }: Job): Refusal =>
  state === 'failed'
    ? refusal('NOT_FOUND', {}, 'The transcription failed: there is no transcript.')
    : refusal('TRANSCRIPT_NOT_READY')
