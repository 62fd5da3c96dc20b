import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { refusal } from '../../../domain/codes/refusals.ts'
import { newId } from '../../../domain/ids.ts'
import { isoTime } from '../../../domain/jobs/job-status.ts'
import { CONTROL, type TextRule } from '../../../domain/text-rule.ts'
import { partSizeOf } from '../../../domain/uploads/parts.ts'
import { MAX_UPLOAD_BYTES, type Upload } from '../../../domain/uploads/upload.ts'
import { configOf } from '../../env.ts'
import { presignedParts } from '../../media/presigned-uploads.ts'
import { apiKey, jsonBody } from '../guards.ts'
import { account, type HttpEnv, identity, publicUrl } from '../request-context.ts'
import { handleAnswer, refuse, refuseCounted, respond } from '../respond.ts'
import { routerFor } from '../router.ts'
import { checkedBy, Integer, json, named, namedStrictly, ok, refusals, Timestamp } from '../schemas.ts'
import { completeUpload, startAttempt } from '../uploads/complete-upload.ts'

export const uploadRoutes = routerFor('Uploads')

const filenameRule: TextRule = {
  minLength: 1,
  maxLength: 255,
  pattern: String.raw`^[^${CONTROL}]*[^\s\ufeff${CONTROL}][^${CONTROL}]*$`,
}
const filenameProblem = (name: string): string | null =>
  /^\P{Cc}{1,255}$/u.test(name) && name.trim() !== ''
    ? null
    : 'must have 1 to 255 characters, without control characters'

const NewUpload = namedStrictly('NewUpload', {
  filename: checkedBy(filenameProblem, filenameRule).openapi({
    description: 'Its name without the extension is the title.',
    example: 'interview.mp3',
  }),
  sizeBytes: Integer.min(1).openapi({ description: `At most ${MAX_UPLOAD_BYTES}.`, example: 48_210_944 }),
  contentType: z
    .string()
    .max(255)
    .regex(/^[\x21-\x7e][\x20-\x7e]*$/)
    .optional()
    .describe('Not needed: the type follows from the bytes.'),
})

const uploadFacts = {
  uploadId: z.string(),
  filename: z.string().openapi({ example: 'interview.mp3' }),
  sizeBytes: Integer,
}

const PendingUpload = named('PendingUpload', {
  ...uploadFacts,
  status: z.literal('pending'),
  partSizeBytes: Integer.describe('The size of every part except the last.'),
  parts: z.array(
    z.object({
      number: Integer,
      url: z.url().describe('PUT the bytes of the part here, without your API key.'),
      sizeBytes: Integer.describe('The length that the request must have.'),
    }),
  ),
  expiresAt: Timestamp.openapi({ format: 'date-time', description: 'The parts can be sent until then.' }),
})

const ReadyUpload = named('ReadyUpload', {
  ...uploadFacts,
  status: z.literal('ready'),
  contentType: z.string().openapi({ example: 'audio/mpeg' }),
  duration: z.number().nullable().describe('In seconds. null if the file does not say.'),
  expiresAt: Timestamp.openapi({ format: 'date-time', description: 'Jobs can be started with it until then.' }),
})

const RemovedUpload = named('RemovedUpload', { ...uploadFacts, status: z.literal('removed') })

const SentPart = z.strictObject({
  number: Integer.min(1),
  etag: z.string().max(512).openapi({ example: '"9bb58f26…"' }).nullable().openapi({
    description: 'From the response to the PUT. null or empty counts as a missing part.',
  }),
})
const SentParts = namedStrictly('SentParts', { parts: z.array(SentPart).max(10_000) })

uploadRoutes.add('POST /uploads', {
  operationId: 'createUpload',
  summary: 'Start an upload of a file to transcribe',
  description:
    'PUT each part to its `url`, in any order, with exactly `sizeBytes` bytes, and keep the `ETag` of each response. A part can be sent again. Then complete the upload. At most 20 uploads can be pending. Pending and ready ones together take at most `limits.uploadBytes`, and the available balance must be above 0.',
  guards: [apiKey('general', 'transcribe'), jsonBody],
  request: { body: json(NewUpload) },
  responses: { 201: ok(PendingUpload, 'The parts can be sent.'), ...refusals(402, 403, 413) },
  handle: (c) => {
    const { filename, sizeBytes, contentType = null } = c.req.valid('json')
    if (sizeBytes > MAX_UPLOAD_BYTES) return refuseCounted(c, tooLarge)
    const file = { id: newId('upload', Date.now()), filename, sizeBytes, contentType }
    const reserved = account(c).reserveUpload(identity(c), file)
    return handleAnswer(c, reserved, async (upload) => respondUpload(c, (await startAttempt(c, upload)) ?? upload, 201))
  },
})

const tooLarge = refusal('BODY_TOO_LARGE', { limit: MAX_UPLOAD_BYTES }, 'An upload may have at most 10 GB.')

uploadRoutes.add('POST /uploads/{id}/complete', {
  operationId: 'completeUpload',
  summary: 'Complete an upload',
  description:
    'The response is sent when the file is known to be media. A repeated request gets the same response. After a refusal the upload is still pending, and parts can be sent again: `GET /uploads/{id}` has their URLs.',
  guards: [apiKey('general', 'transcribe'), jsonBody],
  request: { body: json(SentParts) },
  responses: { 200: ok(ReadyUpload), ...refusals(403, 404, 410, 422, 503) },
  handle: (c) =>
    handleAnswer(c, account(c).uploadToComplete(identity(c), c.req.param('id')), async (upload) => {
      if (upload.state === 'removed') return refuse(c, removed)
      if (upload.state === 'ready') return respondUpload(c, upload)
      const completed = await completeUpload(c, upload, c.req.valid('json').parts)
      return completed.ok ? respondUpload(c, completed.value) : refuse(c, completed.refusal)
    }),
})

const removed = refusal('MEDIA_EXPIRED', {}, 'The upload was removed.')

uploadRoutes.add('GET /uploads/{id}', {
  operationId: 'getUpload',
  summary: 'Retrieve an upload',
  description: 'A pending upload has fresh URLs of its parts.',
  guards: [apiKey('general', 'read', 'transcribe')],
  responses: { 200: ok(z.union([PendingUpload, ReadyUpload])), ...refusals(404, 410) },
  handle: (c) =>
    handleAnswer(c, account(c).upload(identity(c), c.req.param('id')), (upload) =>
      upload.state === 'removed' ? refuse(c, removed) : respondUpload(c, upload),
    ),
})

uploadRoutes.add('DELETE /uploads/{id}', {
  operationId: 'deleteUpload',
  summary: 'Delete an upload',
  description: 'Jobs that read the file continue. It is deleted when they have ended.',
  guards: [apiKey('general', 'transcribe', 'manage')],
  responses: { 200: ok(RemovedUpload), ...refusals(404) },
  handle: (c) => {
    const removal = account(c).removeUpload(identity(c), c.req.param('id'))
    return handleAnswer(c, removal, (upload) => respondUpload(c, upload))
  },
})

const respondUpload = async (c: Context<HttpEnv>, upload: Upload, status: 200 | 201 = 200): Promise<Response> => {
  const { id, filename, sizeBytes } = upload
  const facts = { uploadId: id, status: upload.state, filename, sizeBytes }
  const expiresAt = isoTime(upload.expiresAt)
  if (upload.state === 'removed') return respond(c, facts, status)
  if (upload.state === 'ready') {
    const { contentType, durationSeconds } = upload
    return respond(c, { ...facts, contentType, duration: durationSeconds, expiresAt }, status)
  }
  const parts = await presignedParts(configOf(c.env), publicUrl(c), upload, Date.now())
  return respond(c, { ...facts, partSizeBytes: partSizeOf(sizeBytes), parts, expiresAt }, status)
}
