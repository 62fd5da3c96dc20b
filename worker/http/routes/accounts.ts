import { createRoute, z } from '@hono/zod-openapi'
import { isoTime } from '../../domain/jobs/view.ts'
import { concurrency, MAX_MEDIA_BYTES, MAX_MEDIA_SECONDS, rateClasses } from '../../domain/limits.ts'
import { toDollars } from '../../domain/money/money.ts'
import { account, api, pass, route } from '../api.ts'
import { answer } from '../respond.ts'
import { Cursor, keyed, Limit, ok, refusals } from '../schemas.ts'

const Account = z
  .object({
    accountId: z.string(),
    name: z.string(),
    balanceDollars: z.number().openapi({ description: 'Available and held together.' }),
    heldDollars: z.number().openapi({ description: 'Held for jobs that have not ended.' }),
    availableDollars: z.number(),
    failedDeliveries: z.number().int().openapi({
      description: 'Webhooks of the last 30 days that were given up: GET /webhooks/deliveries?status=failed.',
    }),
    limits: z.record(z.string(), z.unknown()),
  })
  .openapi('Account')

const LedgerEntry = z
  .object({
    id: z.string(),
    kind: z.enum(['credit', 'hold', 'charge', 'release']),
    amountDollars: z.number(),
    jobId: z.string().nullable(),
    at: z.string().openapi({ format: 'date-time' }),
  })
  .openapi('LedgerEntry')

const read = createRoute({
  method: 'get',
  path: '/account',
  tags: ['Account'],
  summary: 'Read the balance and the limits',
  ...keyed,
  responses: { 200: ok(Account), ...refusals(401, 429) },
})

const ledger = createRoute({
  method: 'get',
  path: '/account/ledger',
  tags: ['Account'],
  summary: 'Read every movement of money, newest first',
  description:
    'Credits and charges add up to the balance; credits, holds and releases add up to what is available. A charge is taken out of its hold.',
  ...keyed,
  request: { query: z.object({ cursor: Cursor('entry'), limit: Limit(1000, 100) }) },
  responses: {
    200: ok(z.object({ entries: z.array(LedgerEntry), nextCursor: z.string().nullable() })),
    ...refusals(400, 401, 429),
  },
})

const limits = {
  requestsPerHour: Object.fromEntries(Object.entries(rateClasses).map(([name, { limit }]) => [name, limit])),
  concurrentJobs: concurrency,
  maxMediaBytes: MAX_MEDIA_BYTES,
  maxMediaSeconds: MAX_MEDIA_SECONDS,
}

export const accounts = api()

route(accounts, read, async (c) => {
  const answered = await account(c).summary(pass(c))
  return await answer(c, answered, ({ accountId, name, balance, held, available, failedDeliveries }) => ({
    accountId,
    name,
    balanceDollars: toDollars(balance),
    heldDollars: toDollars(held),
    availableDollars: toDollars(available),
    failedDeliveries,
    limits,
  }))
})

route(accounts, ledger, async (c) => {
  const { cursor, limit } = c.req.valid('query')
  const answered = await account(c).ledger(pass(c), { before: cursor ?? null, limit: limit + 1 })
  return await answer(c, answered, (found) => {
    const shown = found.slice(0, limit)
    const entries = shown.map(({ amount, at, ...entry }) => ({
      ...entry,
      amountDollars: toDollars(amount),
      at: isoTime(at),
    }))
    return { entries, nextCursor: found.length > limit ? (shown.at(-1)?.id ?? null) : null }
  })
})
