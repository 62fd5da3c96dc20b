import { z } from '@hono/zod-openapi'
import * as rules from '../../../domain/bucket/bucket-rules.ts'
import { MAX_PREFIX_BYTES, pathProblem, pathRule } from '../../../domain/bucket/object-name.ts'
import { type KeptStorage, STORAGE_RECORD } from '../../../domain/bucket/storage-settings.ts'
import { refusal } from '../../../domain/codes/refusals.ts'
import { isoTime } from '../../../domain/jobs/job-status.ts'
import { saveStorage } from '../../bucket/storage.ts'
import { findCredential, removeCredential } from '../../directory.ts'
import { configOf } from '../../env.ts'
import { allowedHostsOf } from '../../outbound.ts'
import { apiKey, jsonBody, notFromPages } from '../guards.ts'
import { outbound } from '../request-context.ts'
import { refuse, refuseCounted, respond, whenAuthenticated } from '../respond.ts'
import { routerFor } from '../router.ts'
import { always, checkedBy, json, named, namedStrictly, ok, refusals, Timestamp } from '../schemas.ts'
import { invalidField } from '../validation-messages.ts'

const StorageRequest = namedStrictly('StorageRequest', {
  endpoint: z
    .string()
    .openapi({ format: 'uri', ...rules.endpointRule, example: 'https://s3.eu-central-1.amazonaws.com' }),
  region: checkedBy(rules.regionProblem, rules.regionRule).openapi({ example: 'eu-central-1' }),
  bucket: checkedBy(rules.bucketNameProblem, rules.bucketNameRule).openapi({ example: 'my-media' }),
  accessKeyId: checkedBy(rules.accessKeyIdProblem, rules.accessKeyIdRule),
  secretAccessKey: z.string().min(1).max(1024).describe('Never returned.'),
  pathStyle: z.boolean().default(false).describe('Use https://host/bucket/key instead of https://bucket.host/key.'),
  storageClass: z.enum(rules.storageClasses).optional().describe('The default for imports without a storageClass.'),
  pathPrefix: checkedBy((path) => pathProblem(path, MAX_PREFIX_BYTES), pathRule(MAX_PREFIX_BYTES))
    .optional()
    .describe('Prepended to the storagePath of every import.'),
})

const Storage = named('Storage', {
  endpoint: z.string(),
  region: z.string(),
  bucket: z.string(),
  accessKeyId: z.string().openapi({ description: 'The first and last characters.', example: 'AKIA…MPLE' }),
  pathStyle: z.boolean(),
  storageClass: z.enum(rules.storageClasses).nullable(),
  pathPrefix: z.string().nullable(),
  updatedAt: Timestamp,
})

const notConfigured = refusal('NOT_FOUND', {}, 'No bucket is configured. Set one with PUT /storage.')

export const storageRoutes = routerFor('Storage')

storageRoutes.add('PUT /storage', {
  operationId: 'setStorage',
  summary: 'Set the bucket for imports with `store`',
  description:
    'The bucket is tested first: a small object is written, read and deleted. If the test fails, nothing is saved; `step` is the request that failed (`write`, `read` or `remove`) and `bucketSaid` is the response of the bucket.',
  guards: [notFromPages(apiKey('general', 'manage')), jsonBody],
  request: { body: json(StorageRequest) },
  responses: { 200: ok(Storage, 'The bucket works and is saved.') },
  handle: async (c) => {
    const { storageClass = null, pathPrefix = null, ...body } = c.req.valid('json')
    const problem = rules.endpointProblem(body.endpoint, allowedHostsOf(configOf(c.env)))
    if (problem) return refuseCounted(c, invalidField('endpoint', problem))
    if (!(await outbound(c).mayReach(new URL(body.endpoint)))) {
      return refuseCounted(c, invalidField('endpoint', 'must be a public host'))
    }
    return whenAuthenticated(c, async () => {
      const kept = await saveStorage(c.env, c.var.caller.accountId, { ...body, storageClass, pathPrefix })
      return kept.ok ? respond(c, storageView(kept.value)) : refuse(c, kept.refusal)
    })
  },
})

storageRoutes.add('GET /storage', {
  operationId: 'getStorage',
  summary: 'Retrieve the bucket settings without the secret',
  guards: [notFromPages(apiKey('general', 'read', 'manage'))],
  responses: { 200: ok(Storage), ...refusals(404) },
  handle: (c) =>
    whenAuthenticated(c, async () => {
      const found = await findCredential(c.env.DB, c.var.caller.accountId, STORAGE_RECORD)
      if (!found) return refuse(c, notConfigured)
      return respond(c, storageView({ shown: JSON.parse(found.shown), updatedAt: found.updatedAt }))
    }),
})

storageRoutes.add('DELETE /storage', {
  operationId: 'deleteStorage',
  summary: 'Delete the bucket settings and keys',
  description: 'Files in the bucket are kept. Imports that are being copied to the bucket fail.',
  guards: [notFromPages(apiKey('general', 'manage'))],
  responses: { 200: ok(z.object({ removed: always(true) })), ...refusals(404) },
  handle: (c) =>
    whenAuthenticated(c, async () => {
      const removed = await removeCredential(c.env.DB, c.var.caller.accountId, STORAGE_RECORD)
      return removed ? respond(c, { removed }) : refuse(c, notConfigured)
    }),
})

const storageView = ({ shown, updatedAt }: KeptStorage) => ({ ...shown, updatedAt: isoTime(updatedAt) })
