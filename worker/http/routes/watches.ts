import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { defaultLimits } from '../../../domain/account/account-limits.ts'
import { accepted, type Result, refused } from '../../../domain/codes/refusals.ts'
import { newId } from '../../../domain/ids.ts'
import { asksForWords } from '../../../domain/jobs/job.ts'
import { metadataField } from '../../../domain/jobs/job-metadata.ts'
import { fromDollars } from '../../../domain/money/money.ts'
import { type WatchSettings, watchItemStatus, watchStatus } from '../../../domain/watches/watch.ts'
import type { WatchChanges } from '../../account/watches/manage-watches.ts'
import { configOf } from '../../env.ts'
import { checkSourceUrl, createOutbound } from '../../outbound.ts'
import { apiKey, idempotencyKey, jsonBody, startByBody } from '../guards.ts'
import { assessItems } from '../jobs/assess-items.ts'
import { startOf } from '../jobs/batch-schemas.ts'
import { webhookUrlProblem } from '../jobs/options-problem.ts'
import { begin } from '../jobs/start-job.ts'
import {
  StartedWatch,
  WatchBody,
  WatchChangesBody,
  WatchItem,
  WatchItemStatus,
  WatchStatus,
} from '../jobs/watch-schemas.ts'
import { Cursor, Limit, pageQuery, pageSchema, pageView } from '../pagination.ts'
import { account, type HttpEnv, identity } from '../request-context.ts'
import { handleAnswer, refuseCounted, respondWith } from '../respond.ts'
import { routerFor } from '../router.ts'
import { json, ok, refusals } from '../schemas.ts'

export const watchRoutes = routerFor('Watches')

const readers = apiKey('status', 'read', 'import', 'transcribe')
const owners = apiKey('general', 'import', 'transcribe', 'manage')

watchRoutes.add('POST /watches', {
  operationId: 'startWatch',
  summary: 'Follow a feed, a channel, a playlist or a page',
  description: `Reads the list again and again, and makes a batch of what is new. Only new items are taken: the first read marks what is there, apart from \`first\` and \`since\`. An account may have ${defaultLimits.watches} watches. Polling is free.`,
  guards: [apiKey('import', 'import', 'transcribe'), jsonBody, startByBody(startOf), idempotencyKey],
  request: { body: json(WatchBody) },
  responses: { 201: ok(StartedWatch, 'The watch is starting.'), ...refusals(403, 409) },
  handle: async (c) => {
    const body = c.req.valid('json')
    if (body.import && asksForWords(body.import)) c.set('alsoNeeds', 'transcribe')
    const begun = await begin(c, {
      job: null,
      reuse: null,
      joinKey: null,
      assess: () => assessWatch(c, body),
      admit: (settings, facts) => {
        const watchId = newId('watch', Date.now())
        return account(c).admitWatch(identity(c), { watchId, url: body.url, settings, ...facts })
      },
    })
    // The answer to a repeated Idempotency-Key has the id of the watch as its jobId.
    const view = (started: { id: string } | { jobId: string }) => ({
      watchId: 'id' in started ? started.id : started.jobId,
      status: 'starting',
      message: messageOf(body),
    })
    return respondWith(c, begun, view, 201)
  },
})

const messageOf = ({ first, since }: WatchBody): string => {
  const taken = [
    ...(first > 0 ? [first === 1 ? 'the newest item' : `the ${first} newest items`] : []),
    ...(since === undefined ? [] : [`what is dated after ${since}`]),
  ]
  return taken.length === 0
    ? 'The watch is starting. Only new items are taken: those that its list has now are marked. For all of them, start a batch with playlistUrl.'
    : `The watch is starting. Only new items are taken, and ${taken.join(' and ')}. The others that its list has now are marked.`
}

const assessWatch = async (c: Context<HttpEnv>, body: WatchBody): Promise<Result<WatchSettings>> => {
  const items = await assessedItems(c, body)
  if (!items.ok) return items
  const source = await checkSourceUrl(createOutbound(configOf(c.env)), body.url)
  if (!source) return refused('UNREACHABLE_URL')
  const { everyMinutes, since, first, filter = {}, maxCostDollarsPerMonth, maxNew, webhookUrl = null, metadata } = body
  return accepted({
    ...{ everyMinutes, first, filter, maxNew, webhookUrl, ...items.value, ...metadataField(metadata) },
    since: since === undefined ? Date.now() : Date.parse(since),
    maxCostMicros: maxCostDollarsPerMonth === undefined ? null : fromDollars(maxCostDollarsPerMonth),
  })
}

type Given = Pick<WatchBody, 'import' | 'transcribe' | 'webhookUrl'>

const assessedItems = async (
  c: Context<HttpEnv>,
  given: Given,
): Promise<Result<Pick<WatchSettings, 'item' | 'options' | 'reuseWithinSeconds'>>> => {
  const options = given.import ?? given.transcribe ?? null
  if (options) {
    const assessed = await assessItems(c, given, given.webhookUrl)
    const { reuseWithinSeconds } = options
    return assessed.ok ? accepted({ item: assessed.value.item, options, reuseWithinSeconds }) : assessed
  }
  const refusal = await webhookUrlProblem(c, given.webhookUrl)
  return refusal ? { ok: false, refusal } : accepted({ item: null, options: null, reuseWithinSeconds: 0 })
}

watchRoutes.add('GET /watches', {
  operationId: 'listWatches',
  summary: 'List watches, newest first',
  guards: [readers],
  request: { query: z.object({ cursor: Cursor('watch'), limit: Limit(100, 20) }) },
  responses: { 200: ok(pageSchema('watches', WatchStatus)), ...refusals(400) },
  handle: (c) => {
    const query = c.req.valid('query')
    const answer = account(c).watches(identity(c), pageQuery(query))
    return respondWith(c, answer, (records) => pageView('watches', records, query.limit, watchStatus))
  },
})

watchRoutes.add('GET /watches/{id}', {
  operationId: 'getWatch',
  summary: 'Retrieve a watch',
  guards: [readers],
  responses: { 200: ok(WatchStatus), ...refusals(404) },
  handle: (c) => respondWith(c, account(c).readWatch(identity(c), c.req.param('id')), watchStatus),
})

watchRoutes.add('GET /watches/{id}/items', {
  operationId: 'listWatchItems',
  summary: 'List the items of a watch, newest first',
  guards: [readers],
  request: {
    query: z.object({ status: WatchItemStatus.optional(), cursor: Cursor('watchItem'), limit: Limit(100, 20) }),
  },
  responses: { 200: ok(pageSchema('items', WatchItem)), ...refusals(400, 404) },
  handle: (c) => {
    const query = c.req.valid('query')
    const answer = account(c).watchItems(identity(c), c.req.param('id'), query.status ?? null, pageQuery(query))
    return respondWith(c, answer, (records) => pageView('items', records, query.limit, watchItemStatus))
  },
})

watchRoutes.add('PATCH /watches/{id}', {
  operationId: 'changeWatch',
  summary: 'Change, pause or resume a watch',
  description: 'Fields that are left out stay as they are. `null` removes what is optional.',
  guards: [apiKey('general', 'import', 'transcribe'), jsonBody],
  request: { body: json(WatchChangesBody) },
  responses: { 200: ok(WatchStatus), ...refusals(400, 404) },
  handle: async (c) => {
    const body = c.req.valid('json')
    if (body.transcribe || (body.import && asksForWords(body.import))) c.set('alsoNeeds', 'transcribe')
    const changes = await assessedChanges(c, body)
    if (!changes.ok) return refuseCounted(c, changes.refusal)
    return respondWith(c, account(c).changeWatch(identity(c), c.req.param('id'), changes.value), watchStatus)
  },
})

const assessedChanges = async (c: Context<HttpEnv>, body: WatchChangesBody): Promise<Result<WatchChanges>> => {
  const { import: imported, transcribe, paused, waiting, webhookUrl } = body
  const isOfItems = imported !== undefined || transcribe !== undefined
  const given = { import: imported ?? undefined, transcribe: transcribe ?? undefined }
  const items = await assessedItems(c, { ...given, webhookUrl: webhookUrl ?? undefined })
  if (!items.ok) return items
  const settings = { ...settingsOf(body), ...(isOfItems && items.value) }
  return accepted({ settings, paused, dropsWaiting: waiting === 'drop' })
}

const settingsOf = (body: WatchChangesBody): Partial<WatchSettings> => {
  const { everyMinutes, since, first, filter, maxCostDollarsPerMonth: dollars, maxNew, webhookUrl, metadata } = body
  return {
    ...(everyMinutes !== undefined && { everyMinutes }),
    ...(since !== undefined && { since: Date.parse(since) }),
    ...(first !== undefined && { first }),
    ...(filter !== undefined && { filter: filter ?? {} }),
    ...(dollars !== undefined && { maxCostMicros: dollars === null ? null : fromDollars(dollars) }),
    ...(maxNew !== undefined && { maxNew }),
    ...(webhookUrl !== undefined && { webhookUrl }),
    ...(metadata !== undefined && { metadata }),
  }
}

watchRoutes.add('POST /watches/{id}/poll', {
  operationId: 'pollWatch',
  summary: 'Read the list of a watch now',
  description: 'At most once a minute for each watch.',
  guards: [owners],
  responses: { 202: ok(WatchStatus, 'The list is being read.'), ...refusals(404, 409) },
  handle: (c) => respondWith(c, account(c).pollWatch(identity(c), c.req.param('id')), watchStatus, 202),
})

watchRoutes.add('DELETE /watches/{id}', {
  operationId: 'removeWatch',
  summary: 'Remove a watch',
  description: 'Its jobs go on, and what they have made stays. Its items are forgotten, and what waits is not taken.',
  guards: [owners],
  responses: { 204: { description: 'The watch is gone.' }, ...refusals(404) },
  handle: (c) => handleAnswer(c, account(c).removeWatch(identity(c), c.req.param('id')), () => c.body(null, 204)),
})
