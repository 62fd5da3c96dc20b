import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { bucketNameProblem, bucketNameRule, storageClasses } from '../../../domain/bucket/bucket-rules.ts'
import { filenameProblem, filenameRule, pathProblem, pathRule } from '../../../domain/bucket/object-name.ts'
import { STORAGE_RECORD } from '../../../domain/bucket/storage-settings.ts'
import { refusal } from '../../../domain/codes/refusals.ts'
import { importHold } from '../../../domain/money/bill.ts'
import { AudioQuality, VideoQuality } from '../../../domain/protocol/protocol.ts'
import { findCredential } from '../../directory.ts'
import { configOf } from '../../env.ts'
import { apiKey, idempotencyKey, jsonBody } from '../guards.ts'
import { announcedMedia } from '../jobs/announced-media.ts'
import { checkSourceUrl } from '../jobs/check-source-url.ts'
import { type Assessment, startJob, webhookUrlProblem } from '../jobs/start-job.ts'
import { ImportStatus, readStatus, StartedJob, StatusQuery, waitDescription } from '../jobs/status.ts'
import { type HttpEnv, outbound } from '../request-context.ts'
import { createRouter, route } from '../router.ts'
import { checkedBy, HttpUrl, json, ok, refusals } from '../schemas.ts'

const ImportRequest = z
  .strictObject({
    url: HttpUrl.openapi({ description: 'A publicly accessible media URL.' }),
    includeVideo: z.boolean().default(true).openapi({ description: 'Set to false to import only the audio.' }),
    includeAudio: z.boolean().default(true).openapi({ description: 'Set to false to import only the video.' }),
    videoQuality: VideoQuality.default('1080p'),
    audioQuality: AudioQuality.default('best'),
    webhookUrl: HttpUrl.optional().openapi({ description: 'Receives a webhook when the job ends.' }),
    store: z.boolean().default(false).openapi({ description: "Copy the file to the account's S3 bucket." }),
    storagePath: checkedBy((path) => pathProblem(path), pathRule())
      .optional()
      .openapi({ description: 'The folder in the bucket, below the pathPrefix.', example: 'films/2026' }),
    storageFilename: checkedBy(filenameProblem, filenameRule).optional().openapi({
      description: 'The filename without its extension, which is added. At most 240 bytes. Defaults to the title.',
    }),
    storageBucket: checkedBy(bucketNameProblem, bucketNameRule).optional().openapi({
      description: 'A different bucket at the same endpoint, with the same keys.',
    }),
    storageClass: z
      .enum(storageClasses)
      .optional()
      .openapi({ description: 'Overrides the storageClass of PUT /storage.' }),
    storageReturnLocation: z.boolean().default(true).openapi({
      description: 'Set to false to get a mediaUrl on this service and an s3Storage without a url.',
    }),
  })
  .refine(({ includeVideo, includeAudio }) => includeVideo || includeAudio, {
    path: ['includeAudio'],
    message: 'includeVideo and includeAudio must not both be false',
  })
  .openapi('ImportRequest', {
    not: {
      required: ['includeVideo', 'includeAudio'],
      properties: { includeVideo: { const: false }, includeAudio: { const: false } },
    },
  })

type ImportBody = z.infer<typeof ImportRequest>

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
    request: { body: json(ImportRequest) },
    responses: { 202: ok(StartedJob, 'The job is queued.'), ...refusals(402, 403) },
  },
  (c) => {
    const body = c.req.valid('json')
    return startJob(c, { kind: 'import', webhookUrl: body.webhookUrl, assess: () => assess(c, body) })
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

const assess = async (c: Context<HttpEnv>, body: ImportBody): Promise<Assessment> => {
  if (body.store && !(await findCredential(c.env.DB, c.var.caller.accountId, STORAGE_RECORD))) {
    return { ok: false, refusal: refusal('STORAGE_NOT_CONFIGURED') }
  }
  const problem = await webhookUrlProblem(c, body.webhookUrl)
  if (problem) return { ok: false, refusal: problem }
  const source = await checkSourceUrl(outbound(c), body.url)
  if (!source) return { ok: false, refusal: refusal('UNREACHABLE_URL') }
  const request = {
    ...body,
    webhookUrl: body.webhookUrl ?? null,
    storagePath: body.storagePath ?? null,
    storageFilename: body.storageFilename ?? null,
    storageBucket: body.storageBucket ?? null,
    storageClass: body.storageClass ?? null,
  }
  const { billedBytes, diskBytes } = announcedMedia(configOf(c.env), 'import', request, source)
  return { ok: true, request, hold: importHold(billedBytes), diskBytes }
}
