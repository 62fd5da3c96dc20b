import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import * as rules from '../../../domain/bucket/bucket-rules.ts'
import { MAX_PREFIX_BYTES, pathProblem, pathRule } from '../../../domain/bucket/object-name.ts'
import { type KeptStorage, STORAGE_RECORD } from '../../../domain/bucket/storage-settings.ts'
import { refusal } from '../../../domain/codes/refusals.ts'
import { isoTime } from '../../../domain/jobs/job-status.ts'
import { type ProviderSlot, providerSlots, thirdParties } from '../../../domain/jobs/providers.ts'
import { saveStorage } from '../../bucket/storage.ts'
import { findCredential, putCredential, removeCredential } from '../../directory.ts'
import { configOf } from '../../env.ts'
import { allowedHostsOf } from '../../outbound.ts'
import { slotNamed } from '../../speech/configured-providers.ts'
import { apiKey, jsonBody, notFromPages } from '../guards.ts'
import { notConfigured } from '../jobs/options-problem.ts'
import { providerKeyRecord, sealProviderKey } from '../jobs/start-job.ts'
import { pageSchema } from '../pagination.ts'
import { type HttpEnv, outbound } from '../request-context.ts'
import { refuse, refuseCounted, respond, whenAuthenticated } from '../respond.ts'
import { routerFor } from '../router.ts'
import { always, checkedBy, json, named, namedStrictly, ok, ProviderKey, refusals, Timestamp } from '../schemas.ts'
import { invalidField } from '../validation-messages.ts'

const Slot = z.enum(providerSlots)
const Named = z.enum(thirdParties).describe('The neutral name, or that of the service behind it.')

const StoredKey = named('ProviderKey', {
  provider: Slot,
  keyPreview: z.string().openapi({ description: 'The last characters of the key.', example: '…x9Kd' }),
  updatedAt: Timestamp,
})

export const providerKeyRoutes = routerFor('Transcription providers')

providerKeyRoutes.add('POST /transcription-provider', {
  operationId: 'setProviderKey',
  summary: 'Store a provider key',
  description:
    'The key is encrypted and never returned. Transcriptions without an apiKey use it. It replaces a previously stored key.',
  guards: [notFromPages(apiKey('general', 'manage')), jsonBody],
  request: { body: json(z.strictObject({ provider: Named, apiKey: ProviderKey }).openapi('StoreProviderKey')) },
  responses: { 200: ok(StoredKey) },
  handle: (c) =>
    whenAuthenticated(c, async () => {
      const { provider: name, apiKey } = c.req.valid('json')
      const provider = slotNamed(configOf(c.env), name)
      if (!provider) return refuse(c, notConfigured(configOf(c.env)))
      const updatedAt = Date.now()
      const keyPreview = previewOf(apiKey)
      const { record, sealed } = await sealProviderKey(c, provider, apiKey)
      const shown = JSON.stringify({ keyPreview })
      await putCredential(c.env.DB, c.var.caller.accountId, { record, sealed, shown, updatedAt })
      return respond(c, { provider, keyPreview, updatedAt: isoTime(updatedAt) })
    }),
})

providerKeyRoutes.add('GET /transcription-provider', {
  operationId: 'listProviderKeys',
  summary: 'List stored provider keys',
  guards: [notFromPages(apiKey('general', 'read', 'manage'))],
  responses: { 200: ok(pageSchema('providers', StoredKey)) },
  handle: (c) =>
    whenAuthenticated(c, async () => {
      const found = await Promise.all(providerSlots.map((provider) => storedKey(c, provider)))
      return respond(c, { providers: found.filter((key) => key !== null), nextCursor: null })
    }),
})

providerKeyRoutes.add('DELETE /transcription-provider', {
  operationId: 'deleteProviderKey',
  summary: 'Delete a stored provider key',
  guards: [notFromPages(apiKey('general', 'manage'))],
  request: { query: z.object({ provider: Named }) },
  responses: { 200: ok(z.object({ provider: Slot, removed: always(true) })), ...refusals(400, 404) },
  handle: (c) =>
    whenAuthenticated(c, async () => {
      const provider = slotNamed(configOf(c.env), c.req.valid('query').provider)
      if (!provider) return refuse(c, notConfigured(configOf(c.env)))
      const removed = await removeCredential(c.env.DB, c.var.caller.accountId, providerKeyRecord(c, provider))
      return removed
        ? respond(c, { provider, removed })
        : refuse(c, refusal('NOT_FOUND', {}, `No key is stored for ${provider}.`))
    }),
})

const storedKey = async (c: Context<HttpEnv>, provider: ProviderSlot) => {
  const found = await findCredential(c.env.DB, c.var.caller.accountId, providerKeyRecord(c, provider))
  if (!found) return null
  const { keyPreview } = JSON.parse(found.shown) as { keyPreview: string }
  return { provider, keyPreview, updatedAt: isoTime(found.updatedAt) }
}

/** Enough to recognize a key. Of a short key, four characters would be too much of the secret. */
const previewOf = (apiKey: string): string => (apiKey.length < 16 ? '…' : `…${apiKey.slice(-4)}`)

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

const noBucket = refusal('NOT_FOUND', {}, 'No bucket is configured. Set one with PUT /storage.')

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
      if (!found) return refuse(c, noBucket)
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
      return removed ? respond(c, { removed }) : refuse(c, noBucket)
    }),
})

const storageView = ({ shown, updatedAt }: KeptStorage) => ({ ...shown, updatedAt: isoTime(updatedAt) })
