import type { Context } from 'hono'
import type { z } from 'zod'
import { refusal } from '../../../domain/codes/refusals.ts'
import type { ImportRequest } from '../../../domain/jobs/job.ts'
import { assessSource } from '../../outbound.ts'
import { apiKey, idempotencyKey, jsonBody } from '../guards.ts'
import { ImportBody, importRequestOf } from '../jobs/import-request.ts'
import { importProblem } from '../jobs/options-problem.ts'
import { type JobAssessment, startJob } from '../jobs/start-job.ts'
import { ImportStatus, readStatus, StartedJob, StatusQuery, waitDescription } from '../jobs/status.ts'
import type { HttpEnv } from '../request-context.ts'
import { createRouter, routeOn } from '../router.ts'
import { json, ok, refusals } from '../schemas.ts'

export const importRoutes = createRouter()
const route = routeOn(importRoutes, 'Imports')

route('POST /import', {
  operationId: 'startImport',
  summary: 'Start an import',
  guards: [apiKey('import', 'import'), jsonBody, idempotencyKey],
  request: { body: json(ImportBody) },
  responses: { 202: ok(StartedJob, 'The job is queued.'), ...refusals(402, 403) },
  handle: (c) => {
    const body = c.req.valid('json')
    const request = importRequestOf(body)
    const { reuseWithinSeconds, metadata } = body
    const about = { metadata, reuseWithinSeconds }
    return startJob(c, { job: { kind: 'import', request }, ...about, assess: () => assess(c, body, request) })
  },
})

route('GET /import/status', {
  operationId: 'getImport',
  summary: 'Retrieve the status of an import',
  description: waitDescription,
  guards: [apiKey('status', 'read', 'import')],
  request: { query: StatusQuery },
  responses: { 200: ok(ImportStatus), ...refusals(400, 404) },
  handle: (c) => readStatus(c, 'import', c.req.valid('query')),
})

const assess = async (
  c: Context<HttpEnv>,
  body: z.infer<typeof ImportBody>,
  request: ImportRequest,
): Promise<JobAssessment> => {
  const problem = await importProblem(c, body)
  if (problem) return { ok: false, refusal: problem }
  const source = await assessSource(c.env, body.url, { kind: 'import', request })
  return source ? { ok: true, ...source } : { ok: false, refusal: refusal('UNREACHABLE_URL') }
}
