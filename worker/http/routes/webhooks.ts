import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { isoTime, isoTimeOrNull } from '../../../domain/jobs/job-status.ts'
import { deliveryStates, deliveryView } from '../../account/webhooks/webhook-delivery.ts'
import type { SecretSeed } from '../../account/webhooks/webhook-secrets.ts'
import { attemptDelivery, webhookSecret } from '../../webhooks/attempt-delivery.ts'
import { apiKey, jsonBody } from '../guards.ts'
import { Cursor, Limit, pageQuery, pageSchema, pageView } from '../pagination.ts'
import { account, type HttpEnv, identity, outbound } from '../request-context.ts'
import { refuseCounted, respondWith } from '../respond.ts'
import { routerFor } from '../router.ts'
import { BatchId, HttpUrl, Id, JobId, json, named, ok, refusals, Timestamp } from '../schemas.ts'
import { invalidField } from '../validation-messages.ts'

const WebhookSecret = named('WebhookSecret', {
  secret: z.string().openapi({
    description: 'Verifies signatures according to Standard Webhooks 1.0.',
    example: 'whsec_…',
  }),
  createdAt: Timestamp,
  previousExpiresAt: Timestamp.nullable().describe(
    'Until this time webhooks also have a signature of the previous secret.',
  ),
})

const WebhookDelivery = named('WebhookDelivery', {
  id: z.string().describe('The webhook-id header of every attempt.'),
  type: z.string(),
  jobId: JobId.nullable().describe('null if the webhook is about a batch or a watch, or is a test.'),
  batchId: BatchId.nullable(),
  watchId: z.string().nullable(),
  url: z.string().openapi({ example: 'https://example.com/hook' }),
  status: z.enum(deliveryStates).describe('`failed` after the last attempt failed.'),
  attempts: z.number().int(),
  createdAt: Timestamp,
  lastAttemptAt: Timestamp.nullable(),
  nextAttemptAt: Timestamp.nullable(),
  responseStatus: z.number().int().nullable().describe('The HTTP status of the last attempt.'),
  responseBody: z.string().nullable().describe('The first KiB of the response to the last attempt.'),
  error: z.string().nullable().describe('Why the last attempt failed.'),
})

export const webhookRoutes = routerFor('Webhooks')

webhookRoutes.add('GET /webhooks/secret', {
  operationId: 'getWebhookSecret',
  summary: 'Retrieve the signing secret',
  guards: [apiKey('general', 'manage')],
  responses: { 200: ok(WebhookSecret) },
  handle: (c) => respondWith(c, account(c).webhookSecrets(identity(c)), secretView(c)),
})

webhookRoutes.add('POST /webhooks/secret/rotate', {
  operationId: 'rotateWebhookSecret',
  summary: 'Rotate the signing secret',
  description: 'For 24 hours webhooks have two signatures: one of the new secret and one of the previous secret.',
  guards: [apiKey('general', 'manage')],
  responses: { 200: ok(WebhookSecret) },
  handle: (c) => respondWith(c, account(c).rotateWebhookSecret(identity(c), crypto.randomUUID()), secretView(c)),
})

const secretView =
  (c: Context<HttpEnv>) =>
  async ([current, previous]: SecretSeed[]) => {
    if (!current) throw new Error('the account has no webhook secret')
    c.header('Cache-Control', 'no-store')
    return {
      secret: await webhookSecret(c.env, c.var.caller.accountId, current.seed),
      createdAt: isoTime(current.createdAt),
      previousExpiresAt: isoTimeOrNull(previous?.expiresAt ?? null),
    }
  }

webhookRoutes.add('GET /webhooks/deliveries', {
  operationId: 'listDeliveries',
  summary: 'List webhook deliveries of the last 30 days, newest first',
  guards: [apiKey('general', 'read', 'manage')],
  request: {
    query: z.object({
      jobId: Id.optional(),
      status: z.enum(deliveryStates).optional(),
      cursor: Cursor('event'),
      limit: Limit(100, 20),
    }),
  },
  responses: { 200: ok(pageSchema('deliveries', WebhookDelivery)), ...refusals(400) },
  handle: (c) => {
    const query = c.req.valid('query')
    const filter = { jobId: query.jobId ?? null, state: query.status ?? null }
    const answer = account(c).deliveries(identity(c), filter, pageQuery(query))
    return respondWith(c, answer, (records) => pageView('deliveries', records, query.limit, deliveryView))
  },
})

webhookRoutes.add('POST /webhooks/deliveries/{id}/replay', {
  operationId: 'replayDelivery',
  summary: 'Replay a webhook',
  description: 'The webhook keeps its webhook-id. The count of attempts starts again.',
  guards: [apiKey('general', 'manage')],
  responses: { 200: ok(WebhookDelivery), ...refusals(404) },
  handle: (c) => respondWith(c, account(c).replay(identity(c), c.req.param('id')), deliveryView),
})

const Since = z.iso.datetime({ offset: true }).openapi({
  description: 'Compared with createdAt.',
  example: '2026-11-21T09:00:00Z',
})

webhookRoutes.add('POST /webhooks/deliveries/replay', {
  operationId: 'replayFailedDeliveries',
  summary: 'Replay all failed webhooks since a time',
  guards: [apiKey('general', 'manage'), jsonBody],
  request: { body: json(z.strictObject({ since: Since })) },
  responses: {
    200: ok(
      z.object({
        replayed: z.number().int(),
        more: z.boolean().describe('Whether failed webhooks are left. Repeat the request: each replays up to 1,000.'),
      }),
    ),
  },
  handle: (c) => {
    const since = Date.parse(c.req.valid('json').since)
    return respondWith(c, account(c).replayFailed(identity(c), since), (replayed) => replayed)
  },
})

webhookRoutes.add('POST /webhooks/test', {
  operationId: 'testWebhook',
  summary: 'Send a test webhook and return its result',
  description: 'Makes one signed attempt with an event of type `webhook.test`, and responds when it has ended.',
  guards: [apiKey('general', 'manage'), jsonBody],
  request: { body: json(z.strictObject({ url: HttpUrl })) },
  responses: { 200: ok(WebhookDelivery) },
  handle: async (c) => {
    const { url } = c.req.valid('json')
    if (!(await outbound(c).mayReach(new URL(url)))) {
      return refuseCounted(c, invalidField('url', 'must be a public address'))
    }
    return respondWith(c, account(c).beginWebhookTest(identity(c), url), async (claimed) =>
      deliveryView((await attemptDelivery(c.env, c.var.caller.accountId, claimed)) ?? claimed.delivery),
    )
  },
})
