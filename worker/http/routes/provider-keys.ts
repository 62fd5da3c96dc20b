import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { refusal } from '../../../domain/codes/refusals.ts'
import { isoTime } from '../../../domain/jobs/job-status.ts'
import { type ProviderSlot, providerSlots, thirdParties } from '../../../domain/jobs/providers.ts'
import { findCredential, putCredential, removeCredential } from '../../directory.ts'
import { configOf } from '../../env.ts'
import { slotNamed } from '../../speech/configured-providers.ts'
import { apiKey, jsonBody, notFromPages } from '../guards.ts'
import { notConfigured } from '../jobs/options-problem.ts'
import { providerKeyRecord, sealProviderKey } from '../jobs/start-job.ts'
import { pageSchema } from '../pagination.ts'
import type { HttpEnv } from '../request-context.ts'
import { refuse, respond, whenAuthenticated } from '../respond.ts'
import { routerFor } from '../router.ts'
import { always, json, named, ok, ProviderKey, refusals, Timestamp } from '../schemas.ts'

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
