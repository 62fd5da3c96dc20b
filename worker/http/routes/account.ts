import { z } from '@hono/zod-openapi'
import { defaultLimits } from '../../../domain/account/account-limits.ts'
import { isoTime } from '../../../domain/jobs/job-status.ts'
import { largestMediaBytes } from '../../../domain/jobs/step-resources.ts'
import { ENGINE_DISK_BYTES, MAX_MEDIA_SECONDS, RETENTION_DAYS } from '../../../domain/limits.ts'
import { toDollars } from '../../../domain/money/money.ts'
import { defaultPrices, pricesInDollars } from '../../../domain/money/prices.ts'
import { configOf, expectedDiskBytes } from '../../env.ts'
import { apiKey, jsonBody } from '../guards.ts'
import { Cursor, Limit, pageQuery, pageSchema, pageView } from '../pagination.ts'
import { account, identity } from '../request-context.ts'
import { respondWith } from '../respond.ts'
import { routerFor } from '../router.ts'
import { AccountId, Integer, JobId, json, KeyId, named, ok, refusals, Timestamp } from '../schemas.ts'

const count = (example: number) => Integer.openapi({ example })
const counts = <Name extends string>(examples: Record<Name, number>) =>
  z.object(Object.fromEntries(Object.entries<number>(examples).map(([name, example]) => [name, count(example)])))

export const Limits = z.object({
  requestsPerHour: counts(defaultLimits.requestsPerHour),
  concurrentJobs: counts(defaultLimits.concurrentJobs),
  freeWork: counts(defaultLimits.freeWork).describe(
    'What work that ends without a charge may take: of jobs that fail or are canceled, and of previews, listings and inspections. Beyond it, starts and previews are refused with FREE_WORK_LIMITED, and items of batches wait.',
  ),
  uploadBytes: count(defaultLimits.uploadBytes).describe('Of pending and ready uploads together.'),
  watches: count(defaultLimits.watches),
})

const inDollars = pricesInDollars(defaultPrices)
const price = (name: keyof typeof inDollars) => z.number().openapi({ example: inDollars[name] })

export const Prices = z
  .object({
    downloadPerMegabyte: price('downloadPerMegabyte').describe('For 1,000,000 bytes, pro rata.'),
    captions: price('captions').describe('For a transcript from existing captions.'),
    builtinPerMinute: price('builtinPerMinute'),
    providerPerMinute: price('providerPerMinute').describe('In addition to what the provider bills your key.'),
    speechMinimum: price('speechMinimum').describe('The least that speech recognition costs, besides the download.'),
    models: z
      .record(z.string(), z.number())
      .optional()
      .describe(
        'For a minute of speech, by the name of the model. The others cost `builtinPerMinute`. Absent: all of them do.',
      ),
  })
  .openapi('Prices', {
    description: 'In dollars. A job, and a batch with its items, keeps the prices that it was accepted with.',
  })

const Account = named('Account', {
  accountId: AccountId,
  name: z.string(),
  balanceDollars: z.number().openapi({ example: 10 }).describe('Available and held funds together.'),
  heldDollars: z.number().openapi({ example: 0.15 }).describe('Funds held for jobs that have not ended.'),
  availableDollars: z.number().openapi({ example: 9.85 }),
  prices: Prices,
  retentionDays: count(RETENTION_DAYS).describe('How long the media of a new import is stored.'),
  index: z.boolean().describe('Whether words are indexed, so that GET /search finds them.'),
  search: z
    .object({ bytes: Integer, passages: Integer, full: z.boolean() })
    .describe('The index of words. At 8 GB it is full: nothing more is indexed, and all else goes on.'),
  failedDeliveries: count(0).describe(
    'The number of webhooks in the last 30 days whose attempts all failed. List them with GET /webhooks/deliveries?status=failed.',
  ),
  freeWork: z
    .object({ engineSecondsLeft: Integer, bytesLeft: Integer, resetsAt: Timestamp })
    .describe('What is left of limits.freeWork for jobs. All of it is back at resetsAt.'),
  limits: Limits.extend({
    maxMediaBytes: count(largestMediaBytes(ENGINE_DISK_BYTES, 'oneFile')),
    maxMergedMediaBytes: count(largestMediaBytes(ENGINE_DISK_BYTES, 'copiedStreams')).describe(
      'The limit for media whose video and audio are separate at the source.',
    ),
    maxMediaSeconds: count(MAX_MEDIA_SECONDS),
  }),
})

const LedgerEntry = named('LedgerEntry', {
  id: z.string(),
  kind: z.enum(['credit', 'hold', 'charge', 'release']),
  amountDollars: z.number(),
  jobId: JobId.nullable(),
  keyId: KeyId.nullable().describe('The API key that has started the job.'),
  at: Timestamp,
})

export const accountRoutes = routerFor('Account')

accountRoutes.add('GET /account', {
  operationId: 'getAccount',
  summary: 'Retrieve the balance, prices and limits',
  guards: [apiKey('general', 'read')],
  responses: { 200: ok(Account) },
  handle: (c) => {
    const config = configOf(c.env)
    const diskBytes = expectedDiskBytes(config)
    return respondWith(c, account(c).summary(identity(c)), (summary) => ({
      accountId: summary.accountId,
      name: summary.name,
      balanceDollars: toDollars(summary.balance),
      heldDollars: toDollars(summary.held),
      availableDollars: toDollars(summary.available),
      prices: pricesInDollars(summary.prices),
      retentionDays: summary.retentionDays,
      index: !summary.search.isOff,
      search: { bytes: summary.search.bytes, passages: summary.search.passages, full: summary.search.isFull },
      failedDeliveries: summary.failedDeliveries,
      freeWork: { ...summary.freeWork, resetsAt: isoTime(summary.freeWork.resetsAt) },
      limits: {
        ...summary.limits,
        maxMediaBytes: largestMediaBytes(diskBytes, 'oneFile'),
        maxMergedMediaBytes: largestMediaBytes(diskBytes, 'copiedStreams'),
        maxMediaSeconds: config.terms.maxMediaSeconds,
      },
    }))
  },
})

accountRoutes.add('PATCH /account', {
  operationId: 'updateAccount',
  summary: 'Turn the index of words on or off',
  description:
    '`index: false` also empties it. After `index: true`, what jobs say from then on is found; `POST /search/rebuild` brings earlier words back.',
  guards: [apiKey('general', 'manage'), jsonBody],
  request: { body: json(z.strictObject({ index: z.boolean() })) },
  responses: { 200: ok(z.object({ index: z.boolean() })) },
  handle: (c) => {
    const { index } = c.req.valid('json')
    return respondWith(c, account(c).changeIndexing(identity(c), index), ({ isOn }) => ({ index: isOn }))
  },
})

accountRoutes.add('GET /account/ledger', {
  operationId: 'listLedgerEntries',
  summary: 'List ledger entries, newest first',
  description:
    'The sum of credits and charges is the balance. The sum of credits, holds and releases is the available amount. A charge is paid from the hold of its job. Entries older than 90 days are added up by month: the month then has one entry of each kind, without a jobId, and the sums stay the same.',
  guards: [apiKey('general', 'read')],
  request: { query: z.object({ cursor: Cursor('entry'), limit: Limit(1000, 100) }) },
  responses: { 200: ok(pageSchema('entries', LedgerEntry)), ...refusals(400) },
  handle: (c) => {
    const query = c.req.valid('query')
    return respondWith(c, account(c).ledger(identity(c), pageQuery(query)), (records) =>
      pageView('entries', records, query.limit, ({ amount, at, ...entry }) => ({
        ...entry,
        amountDollars: toDollars(amount),
        at: isoTime(at),
      })),
    )
  },
})
