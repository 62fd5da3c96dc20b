import { asksForWords } from '../../../domain/jobs/job.ts'
import { configOf } from '../../env.ts'
import { apiKey, idempotencyKey, jsonBody } from '../guards.ts'
import { withImportEngine } from '../jobs/options-problem.ts'
import { assessImport, startJob } from '../jobs/start-job.ts'
import { ImportBody, importRequestOf } from '../jobs/start-requests.ts'
import { ImportStatus, readStatus, StartedJob, StatusQuery, waitDescription } from '../jobs/status.ts'
import { refuseCounted } from '../respond.ts'
import { routerFor } from '../router.ts'
import { json, ok, refusals } from '../schemas.ts'

export const importRoutes = routerFor('Imports')

importRoutes.add('POST /import', {
  operationId: 'startImport',
  summary: 'Start an import',
  guards: [apiKey('import', 'import'), jsonBody, idempotencyKey],
  request: { body: json(ImportBody) },
  responses: { 202: ok(StartedJob, 'The job is queued.'), ...refusals(402, 403) },
  handle: (c) => {
    const chosen = withImportEngine(configOf(c.env), c.req.valid('json'))
    if (!chosen.ok) return refuseCounted(c, chosen.refusal)
    const body = chosen.value
    if (asksForWords(body)) c.set('alsoNeeds', 'transcribe')
    const request = importRequestOf(body)
    const { metadata, reuseWithinSeconds } = body
    return startJob(c, {
      job: { kind: 'import', request },
      metadata,
      reuseWithinSeconds,
      assess: () => assessImport(c, body, request),
    })
  },
})

importRoutes.add('GET /import/status', {
  operationId: 'getImport',
  summary: 'Retrieve the status of an import',
  description: waitDescription,
  guards: [apiKey('status', 'read', 'import')],
  request: { query: StatusQuery },
  responses: { 200: ok(ImportStatus), ...refusals(400, 404) },
  handle: (c) => readStatus(c, 'import', c.req.valid('query')),
})
