import { z } from '@hono/zod-openapi'
import { accepts } from 'hono/accepts'
import { engineStates, waitingOf } from '../../../domain/fleet/fleet-report.ts'
import { idPattern } from '../../../domain/ids.ts'
import { isoTime } from '../../../domain/jobs/job-status.ts'
import { MAX_DEAD_WEBHOOKS } from '../../../domain/metrics/counted-events.ts'
import { familiesOf } from '../../../domain/metrics/families.ts'
import { byDay, KEPT_DAYS, KEPT_HOURS, outcomes, startOf, sumOfOutcomes } from '../../../domain/metrics/job-totals.ts'
import { OPEN_METRICS_TYPE, openMetrics, seriesOf } from '../../../domain/metrics/open-metrics.ts'
import { SealBroken } from '../../../domain/secrets/sealing.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../domain/time.ts'
import { accountVersions } from '../../account/schema.ts'
import { listCredentials, resealCredential } from '../../directory.ts'
import { sealerOf } from '../../env.ts'
import { allFleets } from '../../fleet/fleet-of.ts'
import { eventMetrics, outcomesSince, sumsOf } from '../../metrics/metrics-of.ts'
import { adminToken } from '../guards.ts'
import { cursorOf, NextCursor, pageOf } from '../pagination.ts'
import { respond } from '../respond.ts'
import { routerFor } from '../router.ts'
import { AccountId, Integer, ok, refusals, Timestamp } from '../schemas.ts'

/** Account ids contain no slash; names of records can. */
const parseCursor = (cursor: string) => {
  const [accountId = '', ...record] = cursor.split('/')
  return { accountId, record: record.join('/') }
}

/** Each record takes up to two D1 queries, and an invocation may make a thousand. */
const RECORDS_PER_PAGE = 200

export const adminOperationRoutes = routerFor('Operators')

adminOperationRoutes.add('POST /admin/reseal', {
  operationId: 'adminResealSecrets',
  summary: 'Re-encrypt stored secrets with the first key of SEAL_KEYS',
  description:
    'After you add a new first key, repeat this request with `nextCursor` until it is null. Then no secret in the database needs the older keys. Running jobs can still hold a key that was sealed with one, so remove the older keys a day later. `broken` lists the secrets that none of the keys opens.',
  guards: [adminToken],
  request: { query: z.object({ cursor: cursorOf(`${idPattern('account')}/.+`) }) },
  responses: {
    200: ok(
      z.object({
        checked: Integer,
        resealed: Integer,
        broken: z.array(z.object({ accountId: AccountId, record: z.string() })),
        nextCursor: NextCursor,
      }),
    ),
    ...refusals(400),
  },
  handle: async (c) => {
    const sealer = await sealerOf(c.env)
    const found = await listCredentials(c.env.DB, parseCursor(c.req.valid('query').cursor ?? ''), RECORDS_PER_PAGE + 1)
    const { page, nextCursor } = pageOf(found, RECORDS_PER_PAGE, ({ accountId, record }) => `${accountId}/${record}`)
    const broken: { accountId: string; record: string }[] = []
    let resealed = 0
    for (const { accountId, record, sealed } of page) {
      const renewed = await sealer.reseal(sealed, { accountId, record }).catch((cause) => {
        if (cause instanceof SealBroken) return cause
        throw cause
      })
      if (renewed instanceof SealBroken) broken.push({ accountId, record })
      else if (renewed !== null) {
        await resealCredential(c.env.DB, accountId, record, { from: sealed, to: renewed })
        resealed++
      }
    }
    return respond(c, { checked: page.length, resealed, broken, nextCursor })
  },
})

const OPEN_METRICS = 'application/openmetrics-text'
const JSON_TYPE = 'application/json'

/** A scrape may return outcomes that were read this long ago. */
const MAX_AGE_MS = 5 * MINUTE_MS

const Samples = z.object({
  samples: z.array(z.object({ name: z.string(), labels: z.record(z.string(), z.string()), value: z.number() })),
})

adminOperationRoutes.add('GET /admin/metrics', {
  operationId: 'adminGetMetrics',
  summary: 'Read the metrics, as OpenMetrics text or as JSON',
  description:
    'OpenMetrics text for Prometheus and compatible collectors, or the same samples as JSON with `Accept: application/json`. A request writes nothing, so it can be made every 15 seconds.',
  guards: [adminToken],
  responses: {
    200: {
      description: 'The metrics.',
      content: { [OPEN_METRICS_TYPE]: { schema: z.string() }, ...ok(Samples).content },
    },
  },
  handle: async (c) => {
    const now = Date.now()
    const [sums, outcomes, fleets] = await Promise.all([
      sumsOf(c.env),
      outcomesSince(c.env, startOf(now, DAY_MS) - KEPT_DAYS * DAY_MS, MAX_AGE_MS),
      Promise.all(allFleets(c.env).map((fleet) => fleet.report())),
    ])
    const families = familiesOf(sums, fleets, outcomes, { schemaVersion: accountVersions.length, now })
    const type = accepts(c, { header: 'Accept', supports: [OPEN_METRICS, JSON_TYPE], default: OPEN_METRICS })
    if (type === JSON_TYPE) return respond(c, { samples: families.flatMap(seriesOf) })
    return c.body(openMetrics(families), 200, { 'Content-Type': OPEN_METRICS_TYPE })
  },
})

const EnginePlaces = z.object({ total: z.number(), taken: z.number() })
const Engine = z.object({
  name: z.string(),
  state: z.enum(engineStates),
  places: z.object({ network: EnginePlaces, cpu: EnginePlaces }),
  disk: z.object({ totalBytes: z.number(), reservedBytes: z.number() }),
  extractor: z
    .object({
      version: z.string().nullable().describe('Of yt-dlp. null while it is starting.'),
      channel: z.string(),
      problem: z.string().nullable().describe('Why the newest version of the channel is not used.'),
    })
    .nullable()
    .describe('null until the engine has reported it.'),
})
const WaitingSteps = z.object({ step: z.string(), count: z.number(), oldestSeconds: z.number() })

adminOperationRoutes.add('GET /admin/engines', {
  operationId: 'adminListEngines',
  summary: 'List the engines, and the steps that wait for one',
  description: 'Engines that are off are not listed. A `probe` is a `GET /metadata`.',
  guards: [adminToken],
  responses: { 200: ok(z.object({ engines: z.array(Engine), waiting: z.array(WaitingSteps) })) },
  handle: async (c) => {
    const fleets = await Promise.all(allFleets(c.env).map((fleet) => fleet.report()))
    const engines = fleets.flatMap((fleet) => fleet.engines)
    engines.sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
    return respond(c, { engines, waiting: waitingOf(fleets) })
  },
})

const CountedOutcome = z.object({
  hour: Timestamp.describe('The start of the hour, or of the day.'),
  source: z.string(),
  kind: z.enum(['import', 'transcription']),
  outcome: z.enum(outcomes),
  code: z.string(),
  version: z.string().describe('Of the yt-dlp that has read the source; empty if none was needed.'),
  count: z.number(),
})

adminOperationRoutes.add('GET /admin/outcomes', {
  operationId: 'adminListOutcomes',
  summary: "Count the last day's ended jobs by hour and source, or the last week's by day",
  description: `The last ${KEPT_HOURS} full hours and the current one; or with \`by=day\`, the last ${KEPT_DAYS} full days (UTC) and the current one. \`source\` is the host of the job's URL; of an hour or a day with very many hosts, the rest is \`other\`. \`code\` is empty for completed jobs.`,
  guards: [adminToken],
  request: { query: z.object({ by: z.enum(['hour', 'day']).default('hour') }) },
  responses: { 200: ok(z.object({ outcomes: z.array(CountedOutcome) })), ...refusals(400) },
  handle: async (c) => {
    const { by } = c.req.valid('query')
    const [unitMs, kept, sumUp] = by === 'hour' ? [HOUR_MS, KEPT_HOURS, sumOfOutcomes] : [DAY_MS, KEPT_DAYS, byDay]
    const outcomes = sumUp(await outcomesSince(c.env, startOf(Date.now(), unitMs) - kept * unitMs))
    return respond(c, { outcomes: outcomes.map((each) => ({ ...each, hour: isoTime(each.hour) })) })
  },
})

const DeadDelivery = z.object({
  accountId: z.string(),
  deliveryId: z.string(),
  jobId: z.string(),
  type: z.string(),
  host: z.string().describe('Of the receiver.'),
  attempts: z.number(),
  status: z.number().nullable(),
  failedAt: Timestamp,
})

adminOperationRoutes.add('GET /admin/webhooks/dead', {
  operationId: 'adminListDeadDeliveries',
  summary: 'List the webhook deliveries that were given up',
  description: `Newest first, at most ${MAX_DEAD_WEBHOOKS}. \`status\` is null if the receiver did not respond to the last attempt.`,
  guards: [adminToken],
  responses: { 200: ok(z.object({ deliveries: z.array(DeadDelivery) })) },
  handle: async (c) => {
    const dead = await eventMetrics(c.env).deadWebhooks()
    return respond(c, { deliveries: dead.map((each) => ({ ...each, failedAt: isoTime(each.failedAt) })) })
  },
})
