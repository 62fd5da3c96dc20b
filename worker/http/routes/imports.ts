import type { Context } from 'hono'
import type { z } from 'zod'
import { STORAGE_RECORD } from '../../../domain/bucket/storage-settings.ts'
import { type Refusal, refusal } from '../../../domain/codes/refusals.ts'
import type { ImportRequest } from '../../../domain/jobs/job.ts'
import { importHold } from '../../../domain/money/bill.ts'
import { findCredential } from '../../directory.ts'
import { configOf } from '../../env.ts'
import { apiKey, idempotencyKey, jsonBody } from '../guards.ts'
import { announcedMedia } from '../jobs/announced-media.ts'
import { checkSourceUrl } from '../jobs/check-source-url.ts'
import { ImportBody, type ImportOptions, importRequestOf } from '../jobs/import-request.ts'
import { type Assessment, startJob, webhookUrlProblem } from '../jobs/start-job.ts'
import { ImportStatus, readStatus, StartedJob, StatusQuery, waitDescription } from '../jobs/status.ts'
import { type HttpEnv, outbound } from '../request-context.ts'
import { createRouter, route } from '../router.ts'
import { json, ok, refusals } from '../schemas.ts'

const tags = ['Imports']

export const importRoutes = createRouter()

route(
  importRoutes,
  {
    method: 'post',
    path: '/import',
    tags,
    summary: 'Start an import',
    guards: [apiKey('import'), jsonBody, idempotencyKey],
    request: { body: json(ImportBody) },
    responses: { 202: ok(StartedJob, 'The job is queued.'), ...refusals(402, 403) },
  },
  (c) => {
    const body = c.req.valid('json')
    const { url, ...options } = body
    const request = importRequestOf(url, options)
    const { webhookUrl, reuseWithinSeconds } = body
    const start = { kind: 'import', webhookUrl, request, reuseWithinSeconds } as const
    return startJob(c, { ...start, assess: () => assess(c, body, request) })
  },
)

route(
  importRoutes,
  {
    method: 'get',
    path: '/import/status',
    tags,
    summary: 'Retrieve the status of an import',
    description: waitDescription,
    guards: [apiKey('status')],
    request: { query: StatusQuery },
    responses: { 200: ok(ImportStatus), ...refusals(400, 404) },
  },
  (c) => readStatus(c, 'import', c.req.valid('query')),
)

const assess = async (
  c: Context<HttpEnv>,
  body: z.infer<typeof ImportBody>,
  request: ImportRequest,
): Promise<Assessment> => {
  const problem = await importProblem(c, body)
  if (problem) return { ok: false, refusal: problem }
  const source = await checkSourceUrl(outbound(c), body.url)
  if (!source) return { ok: false, refusal: refusal('UNREACHABLE_URL') }
  const { billedBytes, diskBytes } = announcedMedia(configOf(c.env), 'import', request, source)
  return { ok: true, request, hold: importHold(billedBytes), diskBytes }
}

/** What is wrong with the options, whatever the source. */
const importProblem = async (
  c: Context<HttpEnv>,
  { store, webhookUrl }: Pick<ImportOptions, 'store' | 'webhookUrl'>,
): Promise<Refusal | null> => {
  if (store && !(await findCredential(c.env.DB, c.var.caller.accountId, STORAGE_RECORD))) {
    return refusal('STORAGE_NOT_CONFIGURED')
  }
  return webhookUrlProblem(c, webhookUrl)
}
