import { createRoute, z } from '@hono/zod-openapi'
import { streamSSE } from 'hono/streaming'
import { type ListedJob, listJobs } from '../../directory.ts'
import { failureCodes } from '../../domain/codes/failures.ts'
import { positionOf } from '../../domain/ids.ts'
import { isTerminal, type Job } from '../../domain/jobs/job.ts'
import { isoTime, isoTimeOrNull, jobFacts } from '../../domain/jobs/view.ts'
import { micros, toDollars } from '../../domain/money/money.ts'
import { account, api, pass, route } from '../api.ts'
import type { Parts } from '../context.ts'
import { ImportStatus } from '../jobs/status.ts'
import { TranscriptionStatus } from '../jobs/transcription-status.ts'
import { answer, refuse } from '../respond.ts'
import { Cursor, Id, keyed, Limit, ok, refusals } from '../schemas.ts'

const JobId = z.object({ id: Id })
const Type = z.enum(['import', 'transcription'])
const State = z.enum(['queued', 'running', 'failed', 'completed'])
const Time = z.string().openapi({ format: 'date-time' })

const facts = { url: z.string(), createdAt: Time }
const FullJob = z
  .union([
    ImportStatus.extend({ type: z.literal('import'), ...facts }).openapi('ImportJob'),
    TranscriptionStatus.extend({ type: z.literal('transcription'), ...facts }).openapi('TranscriptionJob'),
  ])
  .openapi('Job')

const JobInList = z
  .object({
    jobId: z.string(),
    type: Type,
    status: State,
    url: z.string(),
    title: z.string().nullable(),
    createdAt: Time,
    startedAt: Time.nullable(),
    completedAt: Time.nullable(),
    removedAt: Time.nullable().openapi({ description: 'When what it stored was removed.' }),
    costInDollars: z.number().nullable(),
    code: z.enum(failureCodes).nullable(),
  })
  .openapi('JobInList')

const list = createRoute({
  method: 'get',
  path: '/jobs',
  tags: ['Jobs'],
  summary: 'List jobs, newest first',
  ...keyed,
  request: {
    query: z.object({
      type: Type.optional(),
      status: State.optional(),
      cursor: Cursor('import', 'transcription'),
      limit: Limit(100, 20),
    }),
  },
  responses: {
    200: ok(z.object({ jobs: z.array(JobInList), nextCursor: z.string().nullable() })),
    ...refusals(400, 401, 429),
  },
})

const read = createRoute({
  method: 'get',
  path: '/jobs/{id}',
  tags: ['Jobs'],
  summary: 'Read a job of any type',
  ...keyed,
  request: { params: JobId },
  responses: { 200: ok(FullJob), ...refusals(401, 404, 429) },
})

const remove = createRoute({
  method: 'delete',
  path: '/jobs/{id}',
  tags: ['Jobs'],
  summary: 'Cancel a job, or remove the media of a finished one',
  ...keyed,
  request: { params: JobId },
  responses: { 200: ok(FullJob), ...refusals(401, 404, 429) },
})

const events = createRoute({
  method: 'get',
  path: '/jobs/{id}/events',
  tags: ['Jobs'],
  summary: 'Follow a job by server-sent events',
  description:
    'Each event is named `job` and holds the job as `GET /jobs/{id}` answers it. The stream ends with the job.',
  ...keyed,
  request: { params: JobId },
  responses: {
    200: { description: 'A stream of events.', content: { 'text/event-stream': { schema: z.string() } } },
    ...refusals(401, 404, 429),
  },
})

/** Shorter than the idle time-outs of the proxies in between. */
const HEARTBEAT_MS = 15_000

export const jobs = api()

route(jobs, list, async (c) => {
  const { type, status, cursor, limit } = c.req.valid('query')
  const entered = await account(c).enter(pass(c))
  return await answer(c, entered, async () => {
    const page = { before: cursor ? positionOf(cursor) : null, limit: limit + 1 }
    const found = await listJobs(c.env.DB, c.var.caller.accountId, { kind: type ?? null, state: status ?? null }, page)
    const shown = found.slice(0, limit)
    const last = found.length > limit ? shown.at(-1) : undefined
    return { jobs: shown.map(inList), nextCursor: last?.id ?? null }
  })
})

route(jobs, read, async (c) => {
  const answered = await account(c).read(pass(c), c.req.valid('param').id, null)
  return await answer(c, answered, ({ job }) => fullJob(c.var.parts, job))
})

route(jobs, remove, async (c) => {
  const answered = await account(c).remove(pass(c), c.req.valid('param').id)
  return await answer(c, answered, ({ job }) => fullJob(c.var.parts, job))
})

route(jobs, events, async (c) => {
  const { id } = c.req.valid('param')
  const { rate, result } = await account(c).read(pass(c), id, null)
  c.set('rate', rate)
  if (!result.ok) return refuse(c, result.refusal)
  return streamSSE(c, async (stream) => {
    let seen: typeof result.value | null = result.value
    while (seen && !stream.aborted) {
      const data = JSON.stringify(await fullJob(c.var.parts, seen.job))
      await stream.writeSSE({ event: 'job', id: `${seen.version}`, data })
      if (isTerminal(seen.job.state)) return
      let next = await account(c).follow(c.var.caller.keyHash, id, seen.version, HEARTBEAT_MS)
      while (next && next.version === seen.version && !stream.aborted) {
        await stream.write(': still here\n\n')
        next = await account(c).follow(c.var.caller.keyHash, id, seen.version, HEARTBEAT_MS)
      }
      seen = next
    }
  })
})

const fullJob = async (parts: Parts, job: Job) => ({ ...(await parts.present(job)), ...jobFacts(job) })

const inList = (job: ListedJob) => ({
  jobId: job.id,
  type: job.kind,
  status: job.state,
  url: job.url,
  title: job.title,
  createdAt: isoTime(job.createdAt),
  startedAt: isoTimeOrNull(job.startedAt),
  completedAt: isoTimeOrNull(job.completedAt),
  removedAt: isoTimeOrNull(job.removedAt),
  costInDollars: job.costMicros === null ? null : toDollars(micros(job.costMicros)),
  code: job.failureCode,
})
