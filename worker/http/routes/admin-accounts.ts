import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { ChangedLimits } from '../../../domain/account/account-limits.ts'
import { inRegion } from '../../../domain/account/regions.ts'
import { refusal } from '../../../domain/codes/refusals.ts'
import { isId, newId } from '../../../domain/ids.ts'
import { isoTime, isoTimeOrNull } from '../../../domain/jobs/job-status.ts'
import { fromDollars, toDollars } from '../../../domain/money/money.ts'
import { ownPricesOf, PricesInDollars, pricesInDollars } from '../../../domain/money/prices.ts'
import { dollarsUpTo, notEmpty } from '../../../domain/schemas.ts'
import { makeKey } from '../../../domain/secrets/api-keys.ts'
import type { OperatedAccount as OperatedRow } from '../../account/operators.ts'
import { addAccount, type ListedAccount as ListedRow, listAccounts } from '../../directory.ts'
import { regionsOf, signingKey } from '../../env.ts'
import { accountCalls } from '../account-calls.ts'
import { adminToken, jsonBody } from '../guards.ts'
import { Cursor, Limit, pageQuery, pageSchema, pageView } from '../pagination.ts'
import type { HttpEnv } from '../request-context.ts'
import { refuse, respond } from '../respond.ts'
import { routerFor } from '../router.ts'
import { AccountId, always, json, KeyId, Name, ok, refusals, Timestamp } from '../schemas.ts'
import { Limits, Prices } from './account.ts'

export const Dollars = dollarsUpTo(1_000_000).describe('At most six decimals.')

export const NewKey = z.object({
  keyId: KeyId,
  apiKey: z.string().openapi({ example: 'haul_…' }).describe('Returned only once.'),
})

/** The first access to a Durable Object creates it, so malformed ids are rejected before that. */
export const accountOf = (c: Context<HttpEnv>, id: string) => (isId('account', id) ? accountCalls(c.env, id) : null)

export const newKeyFor = async (c: Context<HttpEnv>, accountId: string) =>
  makeKey(await signingKey(c.env, 'api-keys'), accountId, Date.now())

const accountNotFound = refusal('NOT_FOUND', {}, 'There is no account with this id.')

const ListedAccount = z.object({
  accountId: AccountId,
  name: z.string(),
  createdAt: Timestamp,
  suspended: z.boolean().openapi({ description: 'Whether starts are refused.', example: false }),
})

const OperatedAccount = ListedAccount.extend({
  balanceDollars: z.number().openapi({ example: 10 }),
  heldDollars: z.number().openapi({ example: 0.15 }),
  availableDollars: z.number().openapi({ example: 9.85 }),
  limits: Limits,
  prices: Prices,
  liveJobs: z.number().int().describe('Jobs that are queued or running.'),
  lastUsedAt: Timestamp.nullable().describe(
    'The time of the last request with a key of the account, or up to an hour before it. null: never used.',
  ),
}).openapi('OperatedAccount')

const AccountChanges = notEmpty(
  z.strictObject({
    name: Name.optional(),
    suspended: z.boolean().optional(),
    limits: ChangedLimits.optional(),
    prices: PricesInDollars.nullish().describe(
      "The account's own prices, in dollars. They replace those that it had. Prices that are left out are those of the deployment. `free`: everything is free. null: the account has the prices of the deployment.",
    ),
  }),
).openapi({ example: { suspended: true, limits: { concurrentJobs: { import: 4 } }, prices: { captions: 0.02 } } })

export const adminAccountRoutes = routerFor('Operators')

adminAccountRoutes.add('POST /admin/accounts', {
  operationId: 'adminCreateAccount',
  summary: 'Create an account',
  description: 'Returns the first key of the account, with all scopes.',
  guards: [adminToken, jsonBody],
  request: { body: json(z.strictObject({ name: Name, creditDollars: Dollars.optional() })) },
  responses: { 200: ok(NewKey.extend({ accountId: AccountId })) },
  handle: async (c) => {
    const { name, creditDollars = 0 } = c.req.valid('json')
    const now = Date.now()
    const accountId = inRegion(newId('account', now), regionsOf(c.env)[0])
    const key = await newKeyFor(c, accountId)
    // The first caller makes the account's object, which is then close to that caller.
    const credit = fromDollars(creditDollars)
    c.set('changes', { accountId, name, creditDollars, keyId: key.id })
    await addAccount(c.env.DB, { id: accountId, name, createdAt: now, key: { id: key.id, hash: key.hash }, credit })
    return respond(c, { accountId, keyId: key.id, apiKey: key.apiKey })
  },
})

adminAccountRoutes.add('GET /admin/accounts', {
  operationId: 'adminListAccounts',
  summary: 'List accounts, newest first',
  description: 'A changed name or suspension is in the list within seconds.',
  guards: [adminToken],
  request: {
    query: z.object({
      cursor: Cursor('account'),
      limit: Limit(100, 20),
      name: z.string().trim().max(200).optional().openapi({
        description: 'Lists accounts whose name contains this text, in upper or lower case.',
      }),
    }),
  },
  responses: { 200: ok(pageSchema('accounts', ListedAccount)), ...refusals(400) },
  handle: async (c) => {
    const query = c.req.valid('query')
    const found = await listAccounts(c.env.DB, query.name || null, pageQuery(query))
    return respond(c, pageView('accounts', found, query.limit, listedView))
  },
})

adminAccountRoutes.add('GET /admin/accounts/{id}', {
  operationId: 'adminGetAccount',
  summary: 'Retrieve an account',
  description: 'Its balance, its limits and prices, and when it was last used.',
  guards: [adminToken],
  responses: { 200: ok(OperatedAccount), ...refusals(404) },
  handle: async (c) => {
    const found = await accountOf(c, c.req.param('id'))?.look()
    return found ? respond(c, operatedView(found)) : refuse(c, accountNotFound)
  },
})

adminAccountRoutes.add('PATCH /admin/accounts/{id}', {
  operationId: 'adminUpdateAccount',
  summary: 'Rename or suspend an account, or change its limits or prices',
  description:
    'Takes effect with the next request of the account. A suspended account starts no jobs (403 `ACCOUNT_SUSPENDED`); its running jobs, reads and downloads go on, and a repeated `Idempotency-Key` gets the response that it got before. A limit of null is reset to that of the deployment. Limits that are not in the body stay as they are. Jobs and batches that were accepted before keep their prices.',
  guards: [adminToken, jsonBody],
  request: { body: json(AccountChanges) },
  responses: { 200: ok(OperatedAccount), ...refusals(404) },
  handle: async (c) => {
    const { name, suspended, limits, prices } = c.req.valid('json')
    c.set('changes', { name, suspended, limits, prices })
    const changes = { name, isSuspended: suspended, limits, prices: prices && ownPricesOf(prices) }
    const changed = await accountOf(c, c.req.param('id'))?.change(changes)
    return changed ? respond(c, operatedView(changed)) : refuse(c, accountNotFound)
  },
})

const listedView = ({ id, name, createdAt, isSuspended }: ListedRow) => ({
  accountId: id,
  name,
  createdAt: isoTime(createdAt),
  suspended: isSuspended,
})

const operatedView = (account: OperatedRow) => ({
  ...listedView(account),
  balanceDollars: toDollars(account.balance),
  heldDollars: toDollars(account.held),
  availableDollars: toDollars(account.available),
  limits: account.limits,
  prices: pricesInDollars(account.prices),
  liveJobs: account.liveJobs,
  lastUsedAt: isoTimeOrNull(account.lastUsedAt),
})

const keyNotFound = refusal('NOT_FOUND', {}, 'There is no key with this id.')

adminAccountRoutes.add('POST /admin/accounts/{id}/keys', {
  operationId: 'adminCreateKey',
  summary: 'Create another key',
  description: 'It is a full key. The account lists it with those that it has made itself.',
  guards: [adminToken],
  responses: { 200: ok(NewKey), ...refusals(404) },
  handle: async (c) => {
    const { id } = c.req.param()
    const key = await newKeyFor(c, id)
    c.set('changes', { keyId: key.id })
    const added = await accountOf(c, id)?.addKey({ id: key.id, hash: key.hash, prefix: key.prefix })
    return added ? respond(c, { keyId: key.id, apiKey: key.apiKey }) : refuse(c, accountNotFound)
  },
})

adminAccountRoutes.add('DELETE /admin/accounts/{id}/keys/{keyId}', {
  operationId: 'adminRevokeKey',
  summary: 'Revoke a key immediately',
  description: 'The next request with it is refused. Jobs that it has started go on.',
  guards: [adminToken],
  responses: { 200: ok(z.object({ keyId: KeyId, revoked: always(true) })), ...refusals(404) },
  handle: async (c) => {
    const { id, keyId } = c.req.param()
    c.set('changes', { keyId })
    const revoked = await accountOf(c, id)?.revokeKey(keyId)
    return revoked ? respond(c, { keyId, revoked }) : refuse(c, keyNotFound)
  },
})

adminAccountRoutes.add('POST /admin/accounts/{id}/search/rebuild', {
  operationId: 'adminRebuildSearch',
  summary: 'Fill the index of words again',
  description:
    'From the stored transcripts, for an index that was lost. What is in it stays. An account with `index: false` is refused with 409.',
  guards: [adminToken],
  responses: {
    202: ok(z.object({ accountId: AccountId, status: z.literal('rebuilding') }), 'The index is being filled.'),
    ...refusals(404, 409),
  },
  handle: async (c) => {
    const { id } = c.req.param()
    const started = await accountOf(c, id)?.startRebuild()
    if (!started) return refuse(c, accountNotFound)
    return started.isOff ? refuse(c, refusal('SEARCH_OFF')) : respond(c, { accountId: id, status: 'rebuilding' }, 202)
  },
})

adminAccountRoutes.add('POST /admin/accounts/{id}/credits', {
  operationId: 'adminCreditAccount',
  summary: 'Credit an account; a repeated reference credits once',
  description:
    'A repeated reference with a different amount is refused with 422. `creditedDollars` is the amount that was credited.',
  guards: [adminToken, jsonBody],
  request: {
    body: json(z.strictObject({ amountDollars: Dollars.gt(0), reference: Name })),
  },
  responses: {
    200: ok(z.object({ accountId: AccountId, credited: z.boolean(), balanceDollars: z.number() })),
    ...refusals(404, 422),
  },
  handle: async (c) => {
    const { id } = c.req.param()
    const { amountDollars, reference } = c.req.valid('json')
    c.set('changes', { amountDollars, reference })
    const result = await accountOf(c, id)?.credit(fromDollars(amountDollars), reference)
    if (!result) return refuse(c, accountNotFound)
    if (!result.ok) return refuse(c, result.refusal)
    const { balance, credited } = result.value
    return respond(c, { accountId: id, credited, balanceDollars: toDollars(balance) })
  },
})
