import { createRoute, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { refusal } from '../../domain/codes/refusals.ts'
import { isoTime, isoTimeOrNull } from '../../domain/jobs/view.ts'
import { deliveryStates, deliveryView, type SecretSeed } from '../../domain/webhooks/deliveries.ts'
import { account, api, pass, refuseCounted, route } from '../api.ts'
import type { Api } from '../context.ts'
import { answer } from '../respond.ts'
import { Cursor, HttpUrl, Id, json, keyed, Limit, ok, refusals } from '../schemas.ts'

const Time = z.string().openapi({ format: 'date-time' })

const WebhookSecret = z
  .object({
    secret: z.string().openapi({ description: 'Verifies signatures, as Standard Webhooks 1.0 has it.' }),
    createdAt: Time,
    previousExpiresAt: Time.nullable().openapi({ description: 'Until when a replaced secret signs as well.' }),
  })
  .openapi('WebhookSecret')

const WebhookDelivery = z
  .object({
    id: z.string().openapi({ description: 'The webhook-id header of every attempt.' }),
    type: z.string(),
    jobId: z.string().nullable().openapi({ description: 'null for a test.' }),
    url: z.string(),
    status: z.enum(deliveryStates).openapi({ description: '`failed` when it was given up.' }),
    attempts: z.number().int(),
    createdAt: Time,
    lastAttemptAt: Time.nullable(),
    nextAttemptAt: Time.nullable(),
    responseStatus: z.number().int().nullable().openapi({ description: 'Of the last attempt.' }),
    responseBody: z.string().nullable().openapi({ description: 'The first KiB of it.' }),
    error: z.string().nullable().openapi({ description: 'Why the last attempt did not count.' }),
  })
  .openapi('WebhookDelivery')

const tags = ['Webhooks']

const readSecret = createRoute({
  method: 'get',
  path: '/webhooks/secret',
  tags,
  summary: "Read the account's signing secret",
  ...keyed,
  responses: { 200: ok(WebhookSecret), ...refusals(401, 429) },
})

const rotate = createRoute({
  method: 'post',
  path: '/webhooks/secret/rotate',
  tags,
  summary: 'Replace the signing secret',
  description: 'For 24 hours webhooks carry a signature of the old secret beside that of the new one.',
  ...keyed,
  responses: { 200: ok(WebhookSecret), ...refusals(401, 429) },
})

const list = createRoute({
  method: 'get',
  path: '/webhooks/deliveries',
  tags,
  summary: 'List webhook deliveries of the last 30 days, newest first',
  ...keyed,
  request: {
    query: z.object({
      jobId: Id.optional(),
      status: z.enum(deliveryStates).optional(),
      cursor: Cursor('event'),
      limit: Limit(100, 20),
    }),
  },
  responses: {
    200: ok(z.object({ deliveries: z.array(WebhookDelivery), nextCursor: z.string().nullable() })),
    ...refusals(400, 401, 429),
  },
})

const replay = createRoute({
  method: 'post',
  path: '/webhooks/deliveries/{id}/replay',
  tags,
  summary: 'Send a webhook again',
  description: 'With the same webhook-id, and all attempts before it again.',
  ...keyed,
  request: { params: z.object({ id: Id }) },
  responses: { 200: ok(WebhookDelivery), ...refusals(401, 404, 429) },
})

const replayFailed = createRoute({
  method: 'post',
  path: '/webhooks/deliveries/replay',
  tags,
  summary: 'Send all webhooks again that failed since a time',
  ...keyed,
  request: {
    body: json(
      z.strictObject({
        since: z.iso.datetime({ offset: true }).openapi({ description: 'Compared with createdAt.' }),
      }),
    ),
  },
  responses: {
    200: ok(
      z.object({
        replayed: z.number().int(),
        more: z.boolean().openapi({ description: 'Ask again for the rest: 1,000 are replayed at a time.' }),
      }),
    ),
    ...refusals(400, 401, 413, 415, 429),
  },
})

const test = createRoute({
  method: 'post',
  path: '/webhooks/test',
  tags,
  summary: 'Send a test webhook and see what comes of it',
  description: 'One signed attempt of type `webhook.test`, made while you wait.',
  ...keyed,
  request: { body: json(z.strictObject({ url: HttpUrl })) },
  responses: { 200: ok(WebhookDelivery), ...refusals(400, 401, 413, 415, 429) },
})

export const webhooks = api()

route(webhooks, readSecret, async (c) => await answer(c, await account(c).webhookSecrets(pass(c)), showSecret(c)))

route(webhooks, rotate, async (c) => await answer(c, await account(c).rotateWebhookSecret(pass(c)), showSecret(c)))

route(webhooks, list, async (c) => {
  const { jobId, status, cursor, limit } = c.req.valid('query')
  const filter = { jobId: jobId ?? null, state: status ?? null }
  const answered = await account(c).deliveries(pass(c), filter, { before: cursor ?? null, limit: limit + 1 })
  return await answer(c, answered, (found) => {
    const shown = found.slice(0, limit)
    return {
      deliveries: shown.map(deliveryView),
      nextCursor: found.length > limit ? (shown.at(-1)?.id ?? null) : null,
    }
  })
})

route(webhooks, replay, async (c) => {
  const answered = await account(c).replay(pass(c), c.req.valid('param').id)
  return await answer(c, answered, deliveryView)
})

route(webhooks, replayFailed, async (c) => {
  const since = Date.parse(c.req.valid('json').since)
  return await answer(c, await account(c).replayFailed(pass(c), since), (replayed) => replayed)
})

route(webhooks, test, async (c) => {
  const { url } = c.req.valid('json')
  const { outbound, deliver } = c.var.parts
  if (!(await outbound.mayReach(new URL(url)))) {
    const details = [{ path: 'url', message: 'must be a public address' }]
    return refuseCounted(c, refusal('INVALID_REQUEST', { details }))
  }
  const begun = await account(c).beginWebhookTest(pass(c), url)
  return await answer(c, begun, async (claimed) =>
    deliveryView((await deliver(c.var.caller.accountId, claimed)) ?? claimed.delivery),
  )
})

const showSecret =
  (c: Context<Api>) =>
  async ([current, ...previous]: SecretSeed[]) => {
    if (!current) throw new Error('the account has no webhook secret')
    c.header('Cache-Control', 'no-store')
    return {
      secret: await c.var.parts.webhookSecret(c.var.caller.accountId, current.seed),
      createdAt: isoTime(current.createdAt),
      previousExpiresAt: isoTimeOrNull(previous[0]?.expiresAt ?? null),
    }
  }
