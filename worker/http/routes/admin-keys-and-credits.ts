import { z } from '@hono/zod-openapi'
import { refusal } from '../../../domain/codes/refusals.ts'
import { fromDollars, toDollars } from '../../../domain/money/money.ts'
import { adminToken, jsonBody } from '../guards.ts'
import { refuse, respond } from '../respond.ts'
import { routerFor } from '../router.ts'
import { AccountId, always, Id, IdParam, json, KeyId, Name, ok, refusals } from '../schemas.ts'
import { accountNotFound, accountOf, Dollars, NewKey, newKeyFor } from './admin-accounts.ts'

const keyNotFound = refusal('NOT_FOUND', {}, 'There is no key with this id.')

export const adminKeyAndCreditRoutes = routerFor('Operators')

adminKeyAndCreditRoutes.add('POST /admin/accounts/{id}/keys', {
  operationId: 'adminCreateKey',
  summary: 'Create another key',
  description: 'It is a full key. The account lists it with those that it has made itself.',
  guards: [adminToken],
  request: { params: IdParam },
  responses: { 200: ok(NewKey), ...refusals(404) },
  handle: async (c) => {
    const { id } = c.req.valid('param')
    const key = await newKeyFor(c, id)
    c.set('changes', { keyId: key.id })
    const added = await accountOf(c, id)?.addKey({ id: key.id, hash: key.hash, prefix: key.prefix })
    return added ? respond(c, { keyId: key.id, apiKey: key.apiKey }) : refuse(c, accountNotFound)
  },
})

adminKeyAndCreditRoutes.add('DELETE /admin/accounts/{id}/keys/{keyId}', {
  operationId: 'adminRevokeKey',
  summary: 'Revoke a key immediately',
  description: 'The next request with it is refused. Jobs that it has started go on.',
  guards: [adminToken],
  request: { params: z.object({ id: Id, keyId: Id }) },
  responses: { 200: ok(z.object({ keyId: KeyId, revoked: always(true) })), ...refusals(404) },
  handle: async (c) => {
    const { id, keyId } = c.req.valid('param')
    c.set('changes', { keyId })
    const revoked = await accountOf(c, id)?.revokeKey(keyId)
    return revoked ? respond(c, { keyId, revoked }) : refuse(c, keyNotFound)
  },
})

adminKeyAndCreditRoutes.add('POST /admin/accounts/{id}/credits', {
  operationId: 'adminCreditAccount',
  summary: 'Credit an account; a repeated reference credits once',
  description:
    'A repeated reference with a different amount is refused with 422. `creditedDollars` is the amount that was credited.',
  guards: [adminToken, jsonBody],
  request: {
    params: IdParam,
    body: json(
      z.strictObject({
        amountDollars: Dollars.gt(0),
        reference: Name,
      }),
    ),
  },
  responses: {
    200: ok(z.object({ accountId: AccountId, credited: z.boolean(), balanceDollars: z.number() })),
    ...refusals(404, 422),
  },
  handle: async (c) => {
    const { id } = c.req.valid('param')
    const { amountDollars, reference } = c.req.valid('json')
    c.set('changes', { amountDollars, reference })
    const result = await accountOf(c, id)?.credit(fromDollars(amountDollars), reference)
    if (!result) return refuse(c, accountNotFound)
    if (!result.ok) return refuse(c, result.refusal)
    const { balance, credited } = result.value
    return respond(c, { accountId: id, credited, balanceDollars: toDollars(balance) })
  },
})
