import { z } from '@hono/zod-openapi'
import { failureCodes } from '../../../domain/codes/failures.ts'
import { idAt, positionOf } from '../../../domain/ids.ts'
import { isFound, type JobFilter } from '../../../domain/jobs/job-filter.ts'
import { isoTime, isoTimeOrNull, jobFacts } from '../../../domain/jobs/job-status.ts'
import { micros, toDollars } from '../../../domain/money/money.ts'
import type { PageRequest } from '../../account/calls.ts'
import { type ListedJob, listJobs } from '../../listed-jobs.ts'
import { presentJob } from '../../media/present.ts'
import { cancelStep } from '../fleet-calls.ts'
import { changeStreamOf, streamChanges } from '../follow.ts'
import { apiKey } from '../guards.ts'
import { createdBetween, createdRange, withMetadata } from '../jobs/filter-query.ts'
import { MetadataFilter } from '../jobs/option-schemas.ts'
import { ImportStatus, MetadataView, Phase, TranscriptionStatus } from '../jobs/status.ts'
import { Cursor, Limit, pageOf, pageSchema } from '../pagination.ts'
import { account, identity, publicUrl } from '../request-context.ts'
import { handleAnswer, respond, respondJob } from '../respond.ts'
import { routerFor } from '../router.ts'
import { Cost, Flag, JobId, KeyId, named, ok, refusals, SourceUrl, Timestamp, Title } from '../schemas.ts'

export const Type = z.enum(['import', 'transcription'])
export const State = z.enum(['queued', 'running', 'failed', 'completed'])

const MAX_SEARCH_CHARACTERS = 200
const Parameters = z.object({
  type: Type.optional(),
  status: State.optional(),
  metadata: MetadataFilter,
  ...createdBetween,
  q: z.string().trim().min(1).max(MAX_SEARCH_CHARACTERS).optional().openapi({
    description: 'A part of the title or of the URL, in upper or lower case.',
  }),
  cursor: Cursor('import', 'transcription'),
  limit: Limit(100, 20),
})

/** Cast, because the library's types of preprocessed queries have no fields. */
const JobsQuery = z.preprocess(withMetadata, Parameters) as unknown as typeof Parameters

export const filterOf = (query: z.infer<typeof Parameters>): Omit<JobFilter, 'keyId'> => ({
  kind: query.type ?? null,
  state: query.status ?? null,
  metadata: query.metadata ?? {},
  ...createdRange(query),
  text: query.q ?? null,
})

const facts = {
  url: SourceUrl.nullable().describe('null if the source is an import or an upload.'),
  keyId: KeyId.nullable().describe('The API key that has started the job.'),
  createdAt: Timestamp,
}
const ImportJob = ImportStatus.extend({ type: z.literal('import'), ...facts }).openapi('ImportJob')
const TranscriptionJob = TranscriptionStatus.extend({
  type: z.literal('transcription'),
  ...facts,
  importId: z.string().optional().describe('Present if the source is an import.'),
  uploadId: z.string().optional().describe('Present if the source is an upload.'),
}).openapi('TranscriptionJob')
const FullJob = z.union([ImportJob, TranscriptionJob]).openapi('Job')

const JobInList = named('JobInList', {
  jobId: JobId,
  type: Type,
  status: State,
  phase: Phase,
  url: facts.url,
  title: Title.nullable(),
  createdAt: Timestamp,
  startedAt: Timestamp.nullable(),
  completedAt: Timestamp.nullable(),
  removedAt: Timestamp.nullable().openapi({ description: 'When the media or transcript was removed.', example: null }),
  costInDollars: Cost.nullable(),
  code: z.enum(failureCodes).nullable(),
  metadata: MetadataView,
  keyId: facts.keyId,
})

export const jobRoutes = routerFor('Jobs')

jobRoutes.add('GET /jobs', {
  operationId: 'listJobs',
  summary: 'List jobs, newest first',
  description:
    'A job is listed if it matches all parameters, whether it has ended or not. A page looks through 5,000 jobs at most, so it may be short or empty. Only a `nextCursor` of null is the end.',
  guards: [apiKey('general', 'read', 'import', 'transcribe')],
  request: { query: JobsQuery },
  responses: { 200: ok(pageSchema('jobs', JobInList)), ...refusals(400) },
  handle: async (c) => {
    const answer = await account(c).openJobs(identity(c))
    return handleAnswer(c, answer, async (open) => {
      const query = c.req.valid('query')
      const filter = { ...filterOf(query), keyId: answer.onlyOf ?? null }
      const page = { before: query.cursor === undefined ? null : positionOf(query.cursor), limit: query.limit }
      const { jobs, nextCursor } = await pageOfJobs(c.env.DB, c.var.caller.accountId, open, filter, page)
      return respond(c, { jobs: jobs.map(listedJobView), nextCursor })
    })
  },
})

jobRoutes.add('GET /jobs/{id}', {
  operationId: 'getJob',
  summary: 'Retrieve a job of any type',
  guards: [apiKey('status', 'read', 'import', 'transcribe')],
  responses: { 200: ok(FullJob), ...refusals(404) },
  handle: (c) => {
    const answer = account(c).read(identity(c), c.req.param('id'), null)
    return handleAnswer(c, answer, ({ job }) => respondJob(c, job, jobFacts(job)))
  },
})

jobRoutes.add('DELETE /jobs/{id}', {
  operationId: 'deleteJob',
  summary: 'Cancel a job, or remove the media of a completed job',
  guards: [apiKey('general', 'import', 'transcribe', 'manage')],
  request: {
    // For jobs that may end at the moment of the request.
    query: z.object({ cancelOnly: Flag.describe('`1`: nothing is removed. A job that has ended stays as it is.') }),
  },
  responses: { 200: ok(FullJob), ...refusals(400, 404) },
  handle: async (c) => {
    const act = c.req.valid('query').cancelOnly ? 'cancel' : 'remove'
    return handleAnswer(c, account(c)[act](identity(c), c.req.param('id')), ({ job }) => {
      if (job.failure?.code === 'CANCELED') cancelStep(c, { jobId: job.id, attempt: job.attempt })
      return respondJob(c, job, jobFacts(job))
    })
  },
})

jobRoutes.add('GET /jobs/{id}/events', {
  operationId: 'streamJob',
  ...changeStreamOf('job'),
  guards: [apiKey('status', 'read', 'import', 'transcribe')],
  handle: (c) => {
    const origin = publicUrl(c)
    const { accountId } = c.var.caller
    return handleAnswer(c, account(c).read(identity(c), c.req.param('id'), null), (first) =>
      streamChanges(c, first, ({ job }) =>
        presentJob(c.env, job, (view) => ({ ...view, ...jobFacts(job) }), { accountId, origin }),
      ),
    )
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

/**
 * D1 has each job as it ended, and the account has those that are open. If both have a job, the account is right.
 * `before` is the position of the last job of the previous page.
 */
const pageOfJobs = async (
  db: D1Database,
  accountId: string,
  open: ListedJob[],
  filter: JobFilter,
  { before, limit }: PageRequest,
): Promise<{ jobs: ListedJob[]; nextCursor: string | null }> => {
  const isOpen = new Set(open.map(({ id }) => id))
  const isLive = filter.state === 'queued' || filter.state === 'running'
  // Open jobs may replace as many jobs of D1. One more shows whether another page follows.
  const range = { before, limit: limit + open.length + 1 }
  const { jobs, readTo } = isLive ? { jobs: [], readTo: null } : await listJobs(db, accountId, filter, range)
  const found = [...open, ...jobs.filter(({ id }) => !isOpen.has(id))]
    .map(asShown)
    .filter(({ id }) => before === null || positionOf(id) < before)
    .filter(({ id }) => readTo === null || positionOf(id) >= readTo)
    .filter((job) => isFound(job, filter))
    .sort((one, other) => (positionOf(one.id) < positionOf(other.id) ? 1 : -1))
  const { page, nextCursor } = pageOf(found, limit, ({ id }) => id)
  // A cursor needs only the position of a job's id.
  return { jobs: page, nextCursor: nextCursor ?? (readTo === null ? null : idAt('import', readTo)) }
}

/** Lists agree with the status: a running transcription is queued (see job-status.ts), and expired media is removed. */
const asShown = (job: ListedJob): ListedJob => ({
  ...job,
  state: job.kind === 'transcription' && job.state === 'running' ? 'queued' : job.state,
  removedAt: job.removedAt ?? expiredAt(job),
})

const expiredAt = ({ kind, state, expiresAt }: ListedJob): number | null =>
  kind === 'import' && state === 'completed' && expiresAt !== null && expiresAt <= Date.now() ? expiresAt : null
