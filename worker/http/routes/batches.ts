import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { batchStatus, itemStatus } from '../../../domain/batches/batch.ts'
import { accepted, type Result } from '../../../domain/codes/refusals.ts'
import { newId } from '../../../domain/ids.ts'
import { asksForWords } from '../../../domain/jobs/job.ts'
import { metadataField } from '../../../domain/jobs/job-metadata.ts'
import { MAX_BATCH_BODY_BYTES, MAX_BATCH_ITEMS } from '../../../domain/limits.ts'
import { fromDollars } from '../../../domain/money/money.ts'
import type { BatchAdmission, StartedBatch as Started } from '../../account/calls.ts'
import { cancelStep } from '../fleet-calls.ts'
import { changeStreamOf, streamChanges } from '../follow.ts'
import { apiKey, idempotencyKey, jsonBodyUpTo, startByBody } from '../guards.ts'
import { assessItems } from '../jobs/assess-items.ts'
import {
  BatchBody,
  BatchItem,
  BatchStatus,
  batchSourceOf,
  ItemStatus,
  StartedBatch,
  startOf,
} from '../jobs/batch-schemas.ts'
import { begin, type StartFacts } from '../jobs/start-job.ts'
import { Cursor, cursorOf, Limit, pageOf, pageQuery, pageSchema, pageView } from '../pagination.ts'
import { account, type HttpEnv, identity, originToKeep } from '../request-context.ts'
import { handleAnswer, respond, respondWith } from '../respond.ts'
import { routerFor } from '../router.ts'
import { Id, json, ok, refusals } from '../schemas.ts'

export const batchRoutes = routerFor('Batches')

batchRoutes.add('POST /batches', {
  operationId: 'startBatch',
  summary: 'Start a batch of imports or transcriptions',
  description: `Up to ${MAX_BATCH_ITEMS} URLs, or the entries of a playlist. Each item becomes a job as the concurrent jobs of the account allow; one is kept free for single requests. Items do not count against a rate limit. This request counts as one \`POST /import\` or \`POST /transcribe\`. An item that cannot be imported or transcribed fails alone. The batch itself is free.`,
  guards: [
    apiKey('import', 'import', 'transcribe'),
    jsonBodyUpTo(MAX_BATCH_BODY_BYTES),
    startByBody(startOf),
    idempotencyKey,
  ],
  request: { body: json(BatchBody) },
  responses: { 202: ok(StartedBatch, 'The batch is queued.'), ...refusals(403) },
  handle: async (c) => {
    const body = c.req.valid('json')
    if (body.import && asksForWords(body.import)) c.set('alsoNeeds', 'transcribe')
    const source = batchSourceOf(body)
    const total = source.kind === 'urls' ? source.urls.length : null
    const begun = await begin(c, {
      job: null,
      reuse: null,
      joinKey: null,
      assess: () => assessBatch(c, body),
      admit: (checked, facts) => {
        const batchId = newId('batch', Date.now())
        return account(c).admitBatch(identity(c), { batchId, source, ...checked, ...facts })
      },
    })
    return respondWith(
      c,
      begun,
      // The answer to a repeated Idempotency-Key has the id of the batch as its jobId.
      (started) =>
        startedView({
          batchId: 'batchId' in started ? started.batchId : started.jobId,
          total,
          webhookUrl: body.webhookUrl ?? null,
        }),
      202,
    )
  },
})

const startedView = ({ batchId, total, webhookUrl }: Started) => ({
  batchId,
  status: 'queued',
  total,
  message: webhookUrl
    ? 'The batch is queued. A webhook is sent to webhookUrl when it ends.'
    : `The batch is queued. Poll GET /batches/${batchId}, or send webhookUrl to get a webhook when it ends.`,
})

type CheckedBatch = Omit<BatchAdmission, 'batchId' | 'source' | keyof StartFacts>

/** The options are checked once for all items. Their URLs are checked when their turn has come. */
const assessBatch = async (c: Context<HttpEnv>, body: BatchBody): Promise<Result<CheckedBatch>> => {
  const item = await assessItems(c, body, body.webhookUrl)
  if (!item.ok) return item
  return accepted({
    ...item.value,
    reuseWithinSeconds: (body.import ?? body.transcribe)?.reuseWithinSeconds ?? 0,
    maxCostMicros: body.maxCostDollars === undefined ? null : fromDollars(body.maxCostDollars),
    webhookUrl: body.webhookUrl ?? null,
    ...metadataField(body.metadata),
  })
}

const OfWatch = Id.optional().describe('Only the batches of this watch, which are left out otherwise.')

batchRoutes.add('GET /batches', {
  operationId: 'listBatches',
  summary: 'List batches, newest first',
  guards: [apiKey('status', 'read', 'import', 'transcribe')],
  request: { query: z.object({ watchId: OfWatch, cursor: Cursor('batch'), limit: Limit(100, 20) }) },
  responses: { 200: ok(pageSchema('batches', BatchStatus)), ...refusals(400) },
  handle: (c) => {
    const query = c.req.valid('query')
    const answer = account(c).batches(identity(c), query.watchId ?? null, pageQuery(query))
    return respondWith(c, answer, (records) => pageView('batches', records, query.limit, batchStatus))
  },
})

batchRoutes.add('GET /batches/{id}', {
  operationId: 'getBatch',
  summary: 'Retrieve a batch',
  guards: [apiKey('status', 'read', 'import', 'transcribe')],
  responses: { 200: ok(BatchStatus), ...refusals(404) },
  handle: (c) =>
    respondWith(c, account(c).readBatch(identity(c), c.req.param('id')), ({ batch }) => batchStatus(batch)),
})

batchRoutes.add('GET /batches/{id}/events', {
  operationId: 'streamBatch',
  ...changeStreamOf('batch'),
  guards: [apiKey('status', 'read', 'import', 'transcribe')],
  handle: (c) =>
    handleAnswer(c, account(c).readBatch(identity(c), c.req.param('id')), (first) =>
      streamChanges(c, first, ({ batch }) => JSON.stringify(batchStatus(batch))),
    ),
})

batchRoutes.add('GET /batches/{id}/items', {
  operationId: 'listBatchItems',
  summary: 'List the items of a batch, in their order',
  guards: [apiKey('status', 'read', 'import', 'transcribe')],
  request: {
    query: z.object({ status: ItemStatus.optional(), cursor: cursorOf('0|[1-9][0-9]{0,2}'), limit: Limit(100, 20) }),
  },
  responses: { 200: ok(pageSchema('items', BatchItem)), ...refusals(400, 404) },
  handle: (c) => {
    const { status, cursor, limit } = c.req.valid('query')
    const page = { after: cursor === undefined ? null : Number(cursor), limit: limit + 1 }
    const answer = account(c).batchItems(identity(c), c.req.param('id'), { state: status ?? null }, page)
    return respondWith(c, answer, (records) => {
      const { page, nextCursor } = pageOf(records, limit, ({ index }) => `${index}`)
      return { items: page.map(itemStatus), nextCursor }
    })
  },
})

batchRoutes.add('DELETE /batches/{id}', {
  operationId: 'cancelBatch',
  summary: 'Cancel a batch',
  description:
    'Cancels the items that have not ended, with their jobs. Completed items keep their media and transcripts.',
  guards: [apiKey('general', 'import', 'transcribe', 'manage')],
  responses: { 200: ok(BatchStatus), ...refusals(404) },
  handle: (c) =>
    handleAnswer(c, account(c).cancelBatch(identity(c), c.req.param('id')), ({ batch, stopped }) => {
      for (const step of stopped) cancelStep(c, step)
      return respond(c, batchStatus(batch))
    }),
})

batchRoutes.add('POST /batches/{id}/retry', {
  operationId: 'retryBatch',
  summary: 'Retry the items of a batch that did not succeed',
  description:
    'Starts a new batch of the items that were skipped or canceled, or that failed for a reason that may pass. The options are those of the first batch, but a provider key that was sent with it is deleted at its end: the stored key is used. While a retry is open, the response is that retry.',
  guards: [apiKey('import', 'import', 'transcribe'), idempotencyKey],
  responses: {
    202: ok(StartedBatch, 'The retry is queued, or running since an earlier request.'),
    ...refusals(403, 404),
  },
  handle: (c) => {
    const { idempotency, requestId } = c.var
    const facts = { batchId: newId('batch', Date.now()), origin: originToKeep(c), idempotency, requestId }
    return respondWith(c, account(c).retryBatch(identity(c), c.req.param('id'), facts), startedView, 202)
  },
})
