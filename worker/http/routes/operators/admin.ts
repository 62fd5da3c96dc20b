import { createRoute, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { addAccount, listAccounts } from '../../../directory.ts'
import { refusal } from '../../../domain/codes/refusals.ts'
import { isId, newId } from '../../../domain/ids.ts'
import { isoTime } from '../../../domain/jobs/view.ts'
import { fromDollars, toDollars } from '../../../domain/money/money.ts'
import { makeKey } from '../../../domain/secrets/keys.ts'
import { api, route } from '../../api.ts'
import type { Api } from '../../context.ts'
import { refuse, respond } from '../../respond.ts'
import { Cursor, forOperators, Id, json, Limit, ok, refusals } from '../../schemas.ts'

/** Six decimals are a whole micro-dollar; a million dollars at once is a slip of the finger. */
const Dollars = z
  .number()
  .min(0)
  .max(1_000_000)
  .refine((dollars) => Math.abs(dollars * 1e6 - Math.round(dollars * 1e6)) < 1e-4, 'must have at most six decimals')
  .openapi({ description: 'At most six decimals.' })

const Name = z.string().trim().min(1).max(200)
const NewKey = z.object({ keyId: z.string(), apiKey: z.string().openapi({ description: 'Shown once.' }) })

const create = createRoute({
  method: 'post',
  path: '/admin/accounts',
  tags: ['Operators'],
  summary: 'Make an account',
  ...forOperators,
  request: { body: json(z.strictObject({ name: Name, creditDollars: Dollars.optional() })) },
  responses: { 200: ok(NewKey.extend({ accountId: z.string() })), ...refusals(400, 401, 413, 415) },
})

const list = createRoute({
  method: 'get',
  path: '/admin/accounts',
  tags: ['Operators'],
  summary: 'List accounts, newest first',
  ...forOperators,
  request: { query: z.object({ cursor: Cursor('account'), limit: Limit(100, 20) }) },
  responses: {
    200: ok(
      z.object({
        accounts: z.array(z.object({ accountId: z.string(), name: z.string(), createdAt: z.string() })),
        nextCursor: z.string().nullable(),
      }),
    ),
    ...refusals(400, 401),
  },
})

const addKey = createRoute({
  method: 'post',
  path: '/admin/accounts/{id}/keys',
  tags: ['Operators'],
  summary: 'Make another key',
  ...forOperators,
  request: { params: z.object({ id: Id }) },
  responses: { 200: ok(NewKey), ...refusals(401, 404) },
})

const revokeKey = createRoute({
  method: 'delete',
  path: '/admin/accounts/{id}/keys/{keyId}',
  tags: ['Operators'],
  summary: 'Revoke a key at once',
  ...forOperators,
  request: { params: z.object({ id: Id, keyId: Id }) },
  responses: { 200: ok(z.object({ keyId: z.string(), revoked: z.literal(true) })), ...refusals(401, 404) },
})

const addCredit = createRoute({
  method: 'post',
  path: '/admin/accounts/{id}/credits',
  tags: ['Operators'],
  summary: 'Credit an account; a repeated reference credits once',
  description: 'Repeated with another amount it is refused with 422, and `creditedDollars` tells what was credited.',
  ...forOperators,
  request: {
    params: z.object({ id: Id }),
    body: json(
      z.strictObject({
        amountDollars: Dollars.gt(0),
        reference: z.string().trim().min(1).max(200),
      }),
    ),
  },
  responses: {
    200: ok(z.object({ accountId: z.string(), credited: z.boolean(), balanceDollars: z.number() })),
    ...refusals(400, 401, 404, 413, 415, 422),
  },
})

/** An object is made by the first who asks for it: none may be for what can't be an account's id. */
const accountAt = (c: Context<Api>, id: string) => (isId('account', id) ? c.env.ACCOUNTS.getByName(id) : null)

const noSuchAccount = refusal('NOT_FOUND', {}, 'There is no account with this id.')

export const admin = api()

route(admin, create, async (c) => {
  const { name, creditDollars = 0 } = c.req.valid('json')
  const now = Date.now()
  const accountId = newId('account', now)
  const key = await makeKey(await c.var.parts.keySigner(), accountId, now)
  await c.env.ACCOUNTS.getByName(accountId).create({
    id: accountId,
    name,
    key: { id: key.id, hash: key.hash },
    credit: fromDollars(creditDollars),
  })
  await addAccount(c.env.DB, { id: accountId, name, createdAt: now })
  return respond(c, { accountId, keyId: key.id, apiKey: key.apiKey })
})

route(admin, list, async (c) => {
  const { cursor, limit } = c.req.valid('query')
  const found = await listAccounts(c.env.DB, { before: cursor ?? null, limit: limit + 1 })
  const shown = found.slice(0, limit)
  const accounts = shown.map(({ id, name, createdAt }) => ({ accountId: id, name, createdAt: isoTime(createdAt) }))
  return respond(c, { accounts, nextCursor: found.length > limit ? (shown.at(-1)?.id ?? null) : null })
})

route(admin, addKey, async (c) => {
  const { id } = c.req.valid('param')
  const key = await makeKey(await c.var.parts.keySigner(), id, Date.now())
  const added = await accountAt(c, id)?.addKey({ id: key.id, hash: key.hash })
  return added ? respond(c, { keyId: key.id, apiKey: key.apiKey }) : refuse(c, noSuchAccount)
})

route(admin, revokeKey, async (c) => {
  const { id, keyId } = c.req.valid('param')
  const revoked = await accountAt(c, id)?.revokeKey(keyId)
  const noSuchKey = refusal('NOT_FOUND', {}, 'There is no such key.')
  return revoked ? respond(c, { keyId, revoked }) : refuse(c, noSuchKey)
})

route(admin, addCredit, async (c) => {
  const { id } = c.req.valid('param')
  const { amountDollars, reference } = c.req.valid('json')
  const credited = await accountAt(c, id)?.credit(fromDollars(amountDollars), reference)
  if (!credited) return refuse(c, noSuchAccount)
  if (!credited.ok) return refuse(c, credited.refusal)
  const { balance, credited: isNew } = credited.value
  return respond(c, { accountId: id, credited: isNew, balanceDollars: toDollars(balance) })
})
