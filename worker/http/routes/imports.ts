import { createRoute, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { AudioQuality, VideoQuality } from '../../../container/protocol.ts'
import { findCredential } from '../../directory.ts'
import { refusal } from '../../domain/codes/refusals.ts'
import { MAX_WAIT_SECONDS } from '../../domain/limits.ts'
import { importHold } from '../../domain/money/bill.ts'
import { bucketNameProblem, storageClasses } from '../../domain/storage/bucket.ts'
import { filenameProblem, MAX_STEM_BYTES, pathProblem } from '../../domain/storage/object-name.ts'
import { STORAGE_RECORD } from '../../domain/storage/settings.ts'
import { api, route } from '../api.ts'
import type { Api } from '../context.ts'
import { reach } from '../jobs/reach.ts'
import { type Assessment, start, webhookProblem } from '../jobs/start.ts'
import { ImportStatus, readStatus, StartedJob, StatusQuery } from '../jobs/status.ts'
import { HttpUrl, json, judged, keyed, ok, refusals } from '../schemas.ts'

export const ImportRequest = z
  .strictObject({
    url: HttpUrl.openapi({ description: 'Publicly accessible media URL to download.' }),
    includeVideo: z.boolean().default(true).openapi({ description: 'false gives an audio-only download.' }),
    includeAudio: z.boolean().default(true).openapi({ description: 'false gives a video-only download.' }),
    videoQuality: VideoQuality.default('1080p'),
    audioQuality: AudioQuality.default('best'),
    webhookUrl: HttpUrl.optional().openapi({ description: 'Receives a callback when the job ends.' }),
    store: z.boolean().default(false).openapi({ description: "Upload the result to the account's S3 bucket." }),
    storagePath: judged((path) => pathProblem(path))
      .optional()
      .openapi({ description: 'Folder inside the bucket, below its pathPrefix.', example: 'films/2026' }),
    storageFilename: judged(filenameProblem).optional().openapi({
      description: 'File name without extension, which is added. The title, when it is not given. At most 240 bytes.',
      minLength: 1,
      maxLength: MAX_STEM_BYTES,
    }),
    storageBucket: judged(bucketNameProblem).optional().openapi({
      description: 'Overrides the bucket of PUT /storage, with the same endpoint and keys.',
      minLength: 3,
      maxLength: 63,
    }),
    storageClass: z.enum(storageClasses).optional().openapi({ description: 'Overrides the class of PUT /storage.' }),
    storageReturnLocation: z.boolean().default(true).openapi({
      description: 'false leaves mediaUrl on the service, and s3Storage without a url.',
    }),
  })
  .refine(({ includeVideo, includeAudio }) => includeVideo || includeAudio, {
    path: ['includeAudio'],
    message: 'includeVideo and includeAudio must not both be false',
  })
  .openapi('ImportRequest')

type ImportBody = z.infer<typeof ImportRequest>

const startImport = createRoute({
  method: 'post',
  path: '/import',
  tags: ['Imports'],
  summary: 'Start an import',
  ...keyed,
  request: {
    headers: z.object({ 'idempotency-key': z.string().optional() }),
    body: json(ImportRequest),
  },
  responses: { 202: ok(StartedJob, 'The job is queued.'), ...refusals(400, 401, 402, 409, 413, 415, 422, 429) },
})

const importStatusRoute = createRoute({
  method: 'get',
  path: '/import/status',
  tags: ['Imports'],
  summary: 'Read the status of an import',
  description: `\`wait\` holds the answer back until the job has ended, up to ${MAX_WAIT_SECONDS} seconds.`,
  ...keyed,
  request: { query: StatusQuery },
  responses: { 200: ok(ImportStatus), ...refusals(400, 401, 404, 429) },
})

export const imports = api()

route(imports, startImport, async (c) => {
  const body = c.req.valid('json')
  return start(
    c,
    'import',
    () => assess(c, body),
    ({ jobId }) => ({
      jobId,
      status: 'queued',
      message: body.webhookUrl
        ? 'The import is queued. A webhook is sent to webhookUrl when it ends.'
        : 'The import is queued. Poll GET /import/status, or send webhookUrl to get a webhook when it ends.',
    }),
  )
})

route(imports, importStatusRoute, async (c) => await readStatus(c, 'import', c.req.valid('query')))

/** The price of what the URL announces, or of one MB while nobody knows. */
const assess = async (c: Context<Api>, body: ImportBody): Promise<Assessment> => {
  const { outbound } = c.var.parts
  if (body.store && !(await findCredential(c.env.DB, c.var.caller.accountId, STORAGE_RECORD))) {
    return { ok: false, refusal: refusal('STORAGE_NOT_CONFIGURED') }
  }
  const problem = await webhookProblem(c, body.webhookUrl)
  if (problem) return { ok: false, refusal: problem }
  const reached = await reach(outbound, body.url)
  if (!reached) return { ok: false, refusal: refusal('UNREACHABLE_URL') }
  const request = {
    ...body,
    webhookUrl: body.webhookUrl ?? null,
    storagePath: body.storagePath ?? null,
    storageFilename: body.storageFilename ?? null,
    storageBucket: body.storageBucket ?? null,
    storageClass: body.storageClass ?? null,
  }
  return { ok: true, request, hold: importHold(reached.sizeBytes) }
}
