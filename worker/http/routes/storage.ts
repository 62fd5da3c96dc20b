import { createRoute, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { findCredential, removeCredential } from '../../directory.ts'
import { refusal } from '../../domain/codes/refusals.ts'
import { isoTime } from '../../domain/jobs/view.ts'
import {
  accessKeyIdProblem,
  bucketNameProblem,
  endpointProblem,
  regionProblem,
  storageClasses,
} from '../../domain/storage/bucket.ts'
import { MAX_PREFIX_BYTES, pathProblem } from '../../domain/storage/object-name.ts'
import { type KeptStorage, STORAGE_RECORD } from '../../domain/storage/settings.ts'
import { hostsOf } from '../../outbound.ts'
import { account, api, pass, refuseCounted, route } from '../api.ts'
import type { Api } from '../context.ts'
import { refuse, respond } from '../respond.ts'
import { json, judged, keyed, ok, refusals } from '../schemas.ts'

export const StorageRequest = z
  .strictObject({
    endpoint: z.string().openapi({ format: 'uri', example: 'https://s3.eu-central-1.amazonaws.com' }),
    region: judged(regionProblem).openapi({ example: 'eu-central-1' }),
    bucket: judged(bucketNameProblem).openapi({ example: 'my-media' }),
    accessKeyId: judged(accessKeyIdProblem),
    secretAccessKey: z.string().min(1).max(1024).openapi({ description: 'Never shown again.' }),
    pathStyle: z.boolean().default(false).openapi({
      description: 'Address objects as https://host/bucket/key rather than https://bucket.host/key.',
    }),
    storageClass: z.enum(storageClasses).optional().openapi({ description: 'For imports that name none.' }),
    pathPrefix: judged((path) => pathProblem(path, MAX_PREFIX_BYTES))
      .optional()
      .openapi({ description: "Stands before every import's storagePath." }),
  })
  .openapi('StorageRequest')

const Storage = z
  .object({
    endpoint: z.string(),
    region: z.string(),
    bucket: z.string(),
    accessKeyId: z.string().openapi({ description: 'Its beginning and its end.', example: 'AKIA…MPLE' }),
    pathStyle: z.boolean(),
    storageClass: z.enum(storageClasses).nullable(),
    pathPrefix: z.string().nullable(),
    updatedAt: z.string().openapi({ format: 'date-time' }),
  })
  .openapi('Storage')

const put = createRoute({
  method: 'put',
  path: '/storage',
  tags: ['Storage'],
  summary: 'Set the bucket that imports with `store` are delivered to',
  description:
    'The bucket is proven first: a small object is written, read back and removed. When that fails nothing is kept, and `bucketSaid` holds what the bucket said, `step` what it was asked for (`write`, `read` or `remove`).',
  ...keyed,
  request: { body: json(StorageRequest) },
  responses: { 200: ok(Storage, 'Proven and kept.'), ...refusals(400, 401, 413, 415, 429) },
})

const read = createRoute({
  method: 'get',
  path: '/storage',
  tags: ['Storage'],
  summary: 'Read the bucket that is set, without its secret',
  ...keyed,
  responses: { 200: ok(Storage), ...refusals(401, 404, 429) },
})

const remove = createRoute({
  method: 'delete',
  path: '/storage',
  tags: ['Storage'],
  summary: 'Forget the bucket and its keys',
  description: 'What was delivered stays in the bucket. Imports that are on their way to it fail.',
  ...keyed,
  responses: { 200: ok(z.object({ removed: z.literal(true) })), ...refusals(401, 404, 429) },
})

const noStorage = refusal('NOT_FOUND', {}, 'No bucket is configured. Set one with PUT /storage.')

export const storage = api()

route(storage, put, async (c) => {
  const { config, outbound, keepStorage } = c.var.parts
  const { storageClass = null, pathPrefix = null, ...body } = c.req.valid('json')
  const problem = endpointProblem(body.endpoint, hostsOf(config))
  if (problem || !(await outbound.mayReach(new URL(body.endpoint)))) {
    const details = [{ path: 'endpoint', message: problem ?? 'must be a public host' }]
    return await refuseCounted(c, refusal('INVALID_REQUEST', { details }))
  }
  return await entered(c, async () => {
    const kept = await keepStorage(c.var.caller.accountId, { ...body, storageClass, pathPrefix })
    return kept.ok ? respond(c, view(kept.value)) : refuse(c, kept.refusal)
  })
})

route(storage, read, (c) =>
  entered(c, async () => {
    const found = await findCredential(c.env.DB, c.var.caller.accountId, STORAGE_RECORD)
    if (!found) return refuse(c, noStorage)
    return respond(c, view({ shown: JSON.parse(found.shown), updatedAt: found.updatedAt }))
  }),
)

route(storage, remove, (c) =>
  entered(c, async () => {
    const removed = await removeCredential(c.env.DB, c.var.caller.accountId, STORAGE_RECORD)
    return removed ? respond(c, { removed }) : refuse(c, noStorage)
  }),
)

/** The account knows whether the key is live and the window open; what follows is none of its business. */
const entered = async (c: Context<Api>, go: () => Promise<Response>): Promise<Response> => {
  const { rate, result } = await account(c).enter(pass(c))
  c.set('rate', rate)
  return result.ok ? await go() : refuse(c, result.refusal)
}

const view = ({ shown, updatedAt }: KeptStorage) => ({ ...shown, updatedAt: isoTime(updatedAt) })
