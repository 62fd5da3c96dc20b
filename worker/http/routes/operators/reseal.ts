import { createRoute, z } from '@hono/zod-openapi'
import { listCredentials, resealCredential } from '../../../directory.ts'
import { isId } from '../../../domain/ids.ts'
import { SealBroken } from '../../../domain/secrets/sealing.ts'
import { sealerOf } from '../../../env.ts'
import { api, route } from '../../api.ts'
import { respond } from '../../respond.ts'
import { cursorThat, forOperators, ok, refusals } from '../../schemas.ts'

/** Ids hold no slash; the names of records may. */
const placeOf = (cursor: string): { accountId: string; record: string } => {
  const [accountId = '', ...record] = cursor.split('/')
  return { accountId, record: record.join('/') }
}

const isPlace = (cursor: string): boolean => {
  const { accountId, record } = placeOf(cursor)
  return isId('account', accountId) && record !== ''
}

/** Each is a query or two of an invocation, which has a thousand. */
const PAGE = 200

const reseal = createRoute({
  method: 'post',
  path: '/admin/reseal',
  tags: ['Operators'],
  summary: "Put callers' secrets under the first of SEAL_KEYS",
  description:
    'After a new key was put first, repeat this with `nextCursor` until it is null. Then no secret in the database needs the older keys. Jobs may have a sealed key for as long as they run, so take old keys away a day later. `broken` names what none of the keys opens.',
  ...forOperators,
  request: { query: z.object({ cursor: cursorThat(isPlace) }) },
  responses: {
    200: ok(
      z.object({
        checked: z.number().int(),
        resealed: z.number().int(),
        broken: z.array(z.object({ accountId: z.string(), record: z.string() })),
        nextCursor: z.string().nullable(),
      }),
    ),
    ...refusals(400, 401),
  },
})

export const resealing = api()

route(resealing, reseal, async (c) => {
  const sealer = await sealerOf(c.env)
  const page = await listCredentials(c.env.DB, placeOf(c.req.valid('query').cursor ?? ''), PAGE + 1)
  const broken: { accountId: string; record: string }[] = []
  let resealed = 0
  for (const { accountId, record, sealed } of page.slice(0, PAGE)) {
    const renewed = await sealer.reseal(sealed, { accountId, record }).catch(orBroken)
    if (renewed instanceof SealBroken) broken.push({ accountId, record })
    else if (renewed !== null) {
      await resealCredential(c.env.DB, accountId, record, { from: sealed, to: renewed })
      resealed++
    }
  }
  const last = page.length > PAGE ? page[PAGE - 1] : undefined
  const nextCursor = last ? `${last.accountId}/${last.record}` : null
  return respond(c, { checked: Math.min(page.length, PAGE), resealed, broken, nextCursor })
})

const orBroken = (cause: unknown): SealBroken => {
  if (cause instanceof SealBroken) return cause
  throw cause
}
