import { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { refusal } from '../../../domain/codes/refusals.ts'
import { isId, newId } from '../../../domain/ids.ts'
import { isoTime } from '../../../domain/jobs/job-status.ts'
import { fromDollars, isWholeMicros, toDollars } from '../../../domain/money/money.ts'
import { makeKey } from '../../../domain/secrets/api-keys.ts'
import { addAccount, listAccounts } from '../../directory.ts'
import { signingKey } from '../../env.ts'
import { adminToken, jsonBody } from '../guards.ts'
import { byId, Cursor, Limit, NextCursor, pageOf, pageQuery } from '../pagination.ts'
import type { HttpEnv } from '../request-context.ts'
import { refuse, respond } from '../respond.ts'
import { createRouter, route } from '../router.ts'
import { Id, json, Name, ok, refusals, Timestamp } from '../schemas.ts'

/** Six decimals are whole micro-dollars. More than a million dollars at once is most likely a typo. */
const Dollars = z
  .number()
  .min(0)
  .max(1_000_000)
  .refine(isWholeMicros, 'must have at most six decimals')
  .openapi({ description: 'At most six decimals.', multipleOf: 0.000_001 })

const NewKey = z.object({ keyId: z.string(), apiKey: z.string().openapi({ description: 'Returned only once.' }) })

/** A Durable Object is created by the first access to it, so malformed ids are rejected before. */
const accountOf = (c: Context<HttpEnv>, id: string) => (isId('account', id) ? c.env.ACCOUNTS.getByName(id) : null)

const newKeyFor = async (c: Context<HttpEnv>, accountId: string) =>
  makeKey(await signingKey(c.env, 'api-keys'), accountId, Date.now())

const accountNotFound = refusal('NOT_FOUND', {}, 'There is no account with this id.')
const keyNotFound = refusal('NOT_FOUND', {}, 'There is no key with this id.')

const tags = ['Operators']

export const adminAccountRoutes = createRouter()

route(
  adminAccountRoutes,
  {
    method: 'post',
    path: '/admin/accounts',
    tags,
    summary: 'Create an account',
    guards: [adminToken, jsonBody],
    request: { body: json(z.strictObject({ name: Name, creditDollars: Dollars.optional() })) },
    responses: { 200: ok(NewKey.extend({ accountId: z.string() })) },
  },
  async (c) => {
    const { name, creditDollars = 0 } = c.req.valid('json')
    const now = Date.now()
    const accountId = newId('account', now)
    const key = await newKeyFor(c, accountId)
    // The account's object is made by its first caller, close to it.
    const credit = fromDollars(creditDollars)
    await addAccount(c.env.DB, { id: accountId, name, createdAt: now, key: { id: key.id, hash: key.hash }, credit })
    return respond(c, { accountId, keyId: key.id, apiKey: key.apiKey })
  },
)

route(
  adminAccountRoutes,
  {
    method: 'get',
    path: '/admin/accounts',
    tags,
    summary: 'List accounts, newest first',
    guards: [adminToken],
    request: { query: z.object({ cursor: Cursor('account'), limit: Limit(100, 20) }) },
    responses: {
      200: ok(
        z.object({
          accounts: z.array(z.object({ accountId: z.string(), name: z.string(), createdAt: Timestamp })),
          nextCursor: NextCursor,
        }),
      ),
      ...refusals(400),
    },
  },
  async (c) => {
    const query = c.req.valid('query')
    const { page, nextCursor } = pageOf(await listAccounts(c.env.DB, pageQuery(query)), query.limit, byId)
    const accounts = page.map(({ id, name, createdAt }) => ({ accountId: id, name, createdAt: isoTime(createdAt) }))
    return respond(c, { accounts, nextCursor })
  },
)

route(
  adminAccountRoutes,
  {
    method: 'post',
    path: '/admin/accounts/{id}/keys',
    tags,
    summary: 'Create another key',
    guards: [adminToken],
    request: { params: z.object({ id: Id }) },
    responses: { 200: ok(NewKey), ...refusals(404) },
  },
  async (c) => {
    const { id } = c.req.valid('param')
    const key = await newKeyFor(c, id)
    const added = await accountOf(c, id)?.addKey({ id: key.id, hash: key.hash })
    return added ? respond(c, { keyId: key.id, apiKey: key.apiKey }) : refuse(c, accountNotFound)
  },
)

route(
  adminAccountRoutes,
  {
    method: 'delete',
    path: '/admin/accounts/{id}/keys/{keyId}',
    tags,
    summary: 'Revoke a key immediately',
    guards: [adminToken],
    request: { params: z.object({ id: Id, keyId: Id }) },
    responses: { 200: ok(z.object({ keyId: z.string(), revoked: z.literal(true) })), ...refusals(404) },
  },
  async (c) => {
    const { id, keyId } = c.req.valid('param')
    const revoked = await accountOf(c, id)?.revokeKey(keyId)
    return revoked ? respond(c, { keyId, revoked }) : refuse(c, keyNotFound)
  },
)

route(
  adminAccountRoutes,
  {
    method: 'post',
    path: '/admin/accounts/{id}/credits',
    tags,
    summary: 'Credit an account; a repeated reference credits once',
    description:
      'A repeated reference with a different amount is refused with 422. `creditedDollars` is the amount that was credited.',
    guards: [adminToken, jsonBody],
    request: {
      params: z.object({ id: Id }),
      body: json(
        z.strictObject({
          amountDollars: Dollars.gt(0),
          reference: Name,
        }),
      ),
    },
    responses: {
      200: ok(z.object({ accountId: z.string(), credited: z.boolean(), balanceDollars: z.number() })),
      ...refusals(404, 422),
    },
  },
  async (c) => {
    const { id } = c.req.valid('param')
    const { amountDollars, reference } = c.req.valid('json')
    const result = await accountOf(c, id)?.credit(fromDollars(amountDollars), reference)
    if (!result) return refuse(c, accountNotFound)
    if (!result.ok) return refuse(c, result.refusal)
    const { balance, credited } = result.value
    return respond(c, { accountId: id, credited, balanceDollars: toDollars(balance) })
  },
)
