import { z } from '@hono/zod-openapi'
import { failureCodes } from '../../../domain/codes/failures.ts'
import { idAt, positionOf } from '../../../domain/ids.ts'
import { isTerminal } from '../../../domain/jobs/job.ts'
import { isFound, type JobFilter } from '../../../domain/jobs/job-filter.ts'
import { isoTime, isoTimeOrNull, jobFacts } from '../../../domain/jobs/job-status.ts'
import { micros, toDollars } from '../../../domain/money/money.ts'
import type { JobSnapshot } from '../../account/calls.ts'
import { type ListedJob, listJobs } from '../../listed-jobs.ts'
import { presentJob } from '../../media/present.ts'
import { cancelStep } from '../fleet-calls.ts'
import { apiKey } from '../guards.ts'
import { changesOf } from '../jobs/follow-job.ts'
import { MetadataFilter } from '../jobs/option-schemas.ts'
import { ImportStatus, MetadataView, Phase, TranscriptionStatus } from '../jobs/status.ts'
import { Cursor, Limit, pageOf, pageSchema } from '../pagination.ts'
import { account, identity, publicUrl } from '../request-context.ts'
import { handleAnswer, respond, respondJob } from '../respond.ts'
import { routerFor } from '../router.ts'
import { eventStream, Flag, IdParam, JobId, KeyId, named, ok, refusals, Timestamp } from '../schemas.ts'
import { HEARTBEAT_MS, serverSentEvents } from '../server-sent-events.ts'

export const Type = z.enum(['import', 'transcription'])
export const State = z.enum(['queued', 'running', 'failed', 'completed'])

const MAX_SEARCH_CHARACTERS = 200
const PREFIX = 'metadata.'

/** The parameters `metadata.KEY` as one object, which has the place of a parameter `metadata`. */
const withMetadata = (query: unknown): unknown => {
  const entries = Object.entries(Object(query))
  const filters = entries.filter(([name]) => name.startsWith(PREFIX))
  if (filters.length === 0) return query
  const metadata = Object.fromEntries(filters.map(([name, value]) => [name.slice(PREFIX.length), value]))
  return { ...Object(query), metadata }
}

const time = z.iso.datetime({ offset: true }).optional()

const Parameters = z.object({
  type: Type.optional(),
  status: State.optional(),
  metadata: MetadataFilter,
  after: time.describe('Only jobs that were created at this time or later, as 2026-11-21T09:00:00Z.'),
  before: time.describe('Only jobs that were created before this time.'),
  q: z
    .string()
    .trim()
    .min(1)
    .max(MAX_SEARCH_CHARACTERS)
    .optional()
    .describe('A part of the title or of the URL, in upper or lower case.'),
  cursor: Cursor('import', 'transcription'),
  limit: Limit(100, 20),
})

/** The parameters of a list of jobs. The cast, because the library's types of preprocessed queries have no fields. */
export const JobsQuery = z.preprocess(withMetadata, Parameters) as unknown as typeof Parameters

export const filterOf = (query: z.infer<typeof Parameters>): Omit<JobFilter, 'keyId'> => ({
  kind: query.type ?? null,
  state: query.status ?? null,
  metadata: query.metadata ?? {},
  createdFrom: query.after === undefined ? null : Date.parse(query.after),
  createdBefore: query.before === undefined ? null : Date.parse(query.before),
  text: query.q ?? null,
})

const Url = z
  .string()
  .openapi({ example: 'https://example.com/video.mp4' })
  .nullable()
  .describe('null if the source is an import or an upload.')
const OwnKeyId = KeyId.nullable().describe(
  'The API key that has started the job. null: it was started before jobs named their keys.',
)
const facts = { url: Url, keyId: OwnKeyId, createdAt: Timestamp }
const storedSource = {
  importId: z.string().optional().describe('Present if the source is an import.'),
  uploadId: z.string().optional().describe('Present if the source is an upload.'),
}
const FullJob = z
  .union([
    ImportStatus.extend({ type: z.literal('import'), ...facts }).openapi('ImportJob'),
    TranscriptionStatus.extend({ type: z.literal('transcription'), ...facts, ...storedSource }).openapi(
      'TranscriptionJob',
    ),
  ])
  .openapi('Job')

const JobInList = named('JobInList', {
  jobId: JobId,
  type: Type,
  status: State,
  phase: Phase,
  url: Url,
  title: z.string().openapi({ example: 'A talk' }).nullable(),
  createdAt: Timestamp,
  startedAt: Timestamp.nullable(),
  completedAt: Timestamp.nullable(),
  removedAt: Timestamp.nullable().openapi({ description: 'When the media or transcript was removed.', example: null }),
  costInDollars: z.number().openapi({ example: 0.153421 }).nullable(),
  code: z.enum(failureCodes).nullable(),
  metadata: MetadataView,
  keyId: OwnKeyId,
})

export const jobRoutes = routerFor('Jobs')

jobRoutes.add('GET /jobs', {
  operationId: 'listJobs',
  summary: 'List jobs, newest first',
  description:
    'All parameters may be combined: a job is listed if it matches each of them. Jobs that have not ended are found as well as others. A page looks through 5,000 jobs at most, so it may be short or empty. Only a `nextCursor` of null is the end.',
  guards: [apiKey('general', 'read', 'import', 'transcribe')],
  request: { query: JobsQuery },
  responses: { 200: ok(pageSchema('jobs', JobInList)), ...refusals(400) },
  handle: async (c) => {
    const answer = await account(c).openJobs(identity(c))
    return handleAnswer(c, answer, async (open) => {
      const query = c.req.valid('query')
      const filter = { ...filterOf(query), keyId: answer.onlyOf ?? null }
      const before = query.cursor === undefined ? null : positionOf(query.cursor)
      const range = { before, limit: query.limit }
      const { jobs, nextCursor } = await pageOfJobs(c.env.DB, c.var.caller.accountId, open, filter, range)
      return respond(c, { jobs: jobs.map(listedJobView), nextCursor })
    })
  },
})

jobRoutes.add('GET /jobs/{id}', {
  operationId: 'getJob',
  summary: 'Retrieve a job of any type',
  guards: [apiKey('status', 'read', 'import', 'transcribe')],
  request: { params: IdParam },
  responses: { 200: ok(FullJob), ...refusals(404) },
  handle: async (c) => {
    const answer = await account(c).read(identity(c), c.req.valid('param').id, null)
    return handleAnswer(c, answer, ({ job }) => respondJob(c, job, jobFacts(job)))
  },
})

/** `cancelOnly` is meant for jobs that may end at the same moment. */
const cancelOnly = '`1`: nothing is removed. A job that has ended stays as it is.'

jobRoutes.add('DELETE /jobs/{id}', {
  operationId: 'deleteJob',
  summary: 'Cancel a job, or remove the media of a completed job',
  guards: [apiKey('general', 'import', 'transcribe', 'manage')],
  request: { params: IdParam, query: z.object({ cancelOnly: Flag.describe(cancelOnly) }) },
  responses: { 200: ok(FullJob), ...refusals(400, 404) },
  handle: async (c) => {
    const { id } = c.req.valid('param')
    const object = account(c)
    const isCancelOnly = c.req.valid('query').cancelOnly
    const answer = await (isCancelOnly ? object.cancel(identity(c), id) : object.remove(identity(c), id))
    return handleAnswer(c, answer, ({ job }) => {
      if (job.failure?.code === 'CANCELED') cancelStep(c, { jobId: job.id, attempt: job.leaseNumber })
      return respondJob(c, job, jobFacts(job))
    })
  },
})

jobRoutes.add('GET /jobs/{id}/events', {
  operationId: 'streamJob',
  summary: 'Stream the changes of a job as server-sent events',
  description:
    'Each event is named `job`. Its data is the job as in the response of `GET /jobs/{id}`. The stream closes when the job ends. With the id of that last event in `Last-Event-ID`, as `EventSource` sends it, the response is 204, and `EventSource` stops.',
  guards: [apiKey('status', 'read', 'import', 'transcribe')],
  request: { params: IdParam, headers: z.object({ 'last-event-id': z.string().optional() }) },
  responses: {
    200: eventStream,
    204: { description: 'The job has ended, and its last event was received.' },
    ...refusals(404),
  },
  handle: async (c) => {
    const { id } = c.req.valid('param')
    const lastEventId = c.req.valid('header')['last-event-id']
    return handleAnswer(c, await account(c).read(identity(c), id, null), (first) => {
      if (isTerminal(first.job.state) && lastEventId === `${first.version}`) return c.body(null, 204)
      return serverSentEvents(c, async (stream) => {
        const origin = publicUrl(c)
        let sent: JobSnapshot | null = null
        for await (const snapshot of changesOf(c, first, { signal: stream.gone, repeatMs: HEARTBEAT_MS })) {
          const { job, version } = snapshot
          if (snapshot === sent) {
            await stream.heartbeat()
            continue
          }
          const data = await presentJob(c.env, job, (view) => ({ ...view, ...jobFacts(job) }), { origin })
          await stream.send({ event: 'job', id: `${version}`, data })
          sent = snapshot
        }
      })
    })
  },
})

const listedJobView = (job: ListedJob) => ({
  jobId: job.id,
  type: job.kind,
  status: job.state,
  ...(job.phase && { phase: job.phase }),
  url: job.url,
  title: job.title,
  createdAt: isoTime(job.createdAt),
  startedAt: isoTimeOrNull(job.startedAt),
  completedAt: isoTimeOrNull(job.completedAt),
  removedAt: isoTimeOrNull(job.removedAt),
  costInDollars: job.costMicros === null ? null : toDollars(micros(job.costMicros)),
  code: job.failureCode,
  metadata: job.metadata,
  keyId: job.keyId,
})

interface JobPage {
  /** The position of the last job of the previous page. */
  before: string | null
  limit: number
}

/**
 * A page of an account's jobs, newest first: from D1, which has each job as it ended, and from the account, which has the
 * current state of those that are open. Where both have a job, the account is right.
 */
const pageOfJobs = async (
  db: D1Database,
  accountId: string,
  open: ListedJob[],
  filter: JobFilter,
  { before, limit }: JobPage,
): Promise<{ jobs: ListedJob[]; nextCursor: string | null }> => {
  const isOpen = new Set(open.map(({ id }) => id))
  const isLive = filter.state === 'queued' || filter.state === 'running'
  // Open jobs may take the place of as many of D1. One more tells whether another page follows.
  const range = { before, limit: limit + open.length + 1 }
  const recorded = isLive ? { jobs: [], readTo: null } : await listJobs(db, accountId, filter, range)
  const { readTo } = recorded
  const found = [...open.map(asShown), ...recorded.jobs.filter(({ id }) => !isOpen.has(id)).map(asShown)]
    .filter(({ id }) => before === null || positionOf(id) < before)
    .filter(({ id }) => readTo === null || positionOf(id) >= readTo)
    .filter((job) => isFound(job, filter))
    .sort((one, other) => (positionOf(one.id) < positionOf(other.id) ? 1 : -1))
  const { page, nextCursor } = pageOf(found, limit, ({ id }) => id)
  // Of a job's id, a cursor needs the position only.
  return { jobs: page, nextCursor: nextCursor ?? (readTo === null ? null : idAt('import', readTo)) }
}

/** Lists say what the status says: a running transcription is queued (see job-status.ts), and expired media is removed. */
const asShown = (job: ListedJob): ListedJob => ({
  ...job,
  state: job.kind === 'transcription' && job.state === 'running' ? 'queued' : job.state,
  removedAt: job.removedAt ?? expiredAt(job),
})

const expiredAt = ({ kind, state, expiresAt }: ListedJob): number | null =>
  kind === 'import' && state === 'completed' && expiresAt !== null && expiresAt <= Date.now() ? expiresAt : null
