import { createRoute, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { findCredential, putCredential, removeCredential } from '../../directory.ts'
import { refusal } from '../../domain/codes/refusals.ts'
import { isoTime } from '../../domain/jobs/view.ts'
import { sealerOf } from '../../env.ts'
import { account, api, pass, route } from '../api.ts'
import type { Api, ProviderSlot } from '../context.ts'
import { answer, refuse, respond } from '../respond.ts'
import { json, keyed, ok, ProviderKey, refusals } from '../schemas.ts'

const slots = ['provider_a', 'provider_b', 'provider_c'] as const satisfies ProviderSlot[]
const Slot = z.enum(slots)

const StoredKey = z
  .object({
    provider: Slot,
    keyPreview: z.string().openapi({ description: 'The last characters of the key.', example: '…x9Kd' }),
    updatedAt: z.string().openapi({ format: 'date-time' }),
  })
  .openapi('ProviderKey')

const tags = ['Transcription providers']

const store = createRoute({
  method: 'post',
  path: '/transcription-provider',
  tags,
  summary: 'Store a provider key',
  description:
    'Kept sealed, used by transcriptions that send no apiKey, and never shown again. Replaces an earlier one.',
  ...keyed,
  request: { body: json(z.strictObject({ provider: Slot, apiKey: ProviderKey }).openapi('StoreProviderKey')) },
  responses: { 200: ok(StoredKey), ...refusals(400, 401, 413, 415, 429) },
})

const list = createRoute({
  method: 'get',
  path: '/transcription-provider',
  tags,
  summary: 'List the stored provider keys',
  ...keyed,
  responses: {
    200: ok(z.object({ providers: z.array(StoredKey), nextCursor: z.string().nullable() })),
    ...refusals(401, 429),
  },
})

const remove = createRoute({
  method: 'delete',
  path: '/transcription-provider',
  tags,
  summary: 'Remove a stored provider key',
  ...keyed,
  request: { query: z.object({ provider: Slot }) },
  responses: { 200: ok(z.object({ provider: Slot, removed: z.literal(true) })), ...refusals(400, 401, 404, 429) },
})

export const providerKeys = api()

route(providerKeys, store, async (c) => {
  const { provider, apiKey } = c.req.valid('json')
  const entered = await account(c).enter(pass(c))
  return await answer(c, entered, async () => {
    const updatedAt = Date.now()
    const keyPreview = previewOf(apiKey)
    const { record, sealed } = await seal(c, provider, apiKey)
    const shown = JSON.stringify({ keyPreview })
    await putCredential(c.env.DB, c.var.caller.accountId, { record, sealed, shown, updatedAt })
    return { provider, keyPreview, updatedAt: isoTime(updatedAt) }
  })
})

route(providerKeys, list, async (c) => {
  const entered = await account(c).enter(pass(c))
  return await answer(c, entered, async () => {
    const found = await Promise.all(slots.map((provider) => stored(c, provider)))
    return { providers: found.filter((key) => key !== null), nextCursor: null }
  })
})

route(providerKeys, remove, async (c) => {
  const { provider } = c.req.valid('query')
  const { rate, result } = await account(c).enter(pass(c))
  c.set('rate', rate)
  if (!result.ok) return refuse(c, result.refusal)
  const removed = await removeCredential(c.env.DB, c.var.caller.accountId, recordOf(c, provider))
  return removed
    ? respond(c, { provider, removed })
    : refuse(c, refusal('NOT_FOUND', {}, `No key is stored for ${provider}.`))
})

/** The key of a request, sealed; sealed null where a stored one will be used; null where there is neither. */
export const sealedKeyFor = async (
  c: Context<Api>,
  provider: ProviderSlot,
  apiKey: string | undefined,
): Promise<{ sealed: string | null } | null> => {
  if (apiKey !== undefined) return seal(c, provider, apiKey)
  const kept = await findCredential(c.env.DB, c.var.caller.accountId, recordOf(c, provider))
  return kept && { sealed: null }
}

const recordOf = (c: Context<Api>, provider: ProviderSlot): string => c.var.parts.provider(provider).keyRecord

const seal = async (c: Context<Api>, provider: ProviderSlot, apiKey: string) => {
  const record = recordOf(c, provider)
  const sealer = await sealerOf(c.env)
  return { record, sealed: await sealer.seal(apiKey, { accountId: c.var.caller.accountId, record }) }
}

const stored = async (c: Context<Api>, provider: ProviderSlot) => {
  const found = await findCredential(c.env.DB, c.var.caller.accountId, recordOf(c, provider))
  if (!found) return null
  const { keyPreview } = JSON.parse(found.shown) as { keyPreview: string }
  return { provider, keyPreview, updatedAt: isoTime(found.updatedAt) }
}

/** Enough to tell one's keys apart; nothing of a key so short that four letters would be much of it. */
const previewOf = (apiKey: string): string => (apiKey.length < 16 ? '…' : `…${apiKey.slice(-4)}`)
