import { z } from '@hono/zod-openapi'
import { idPattern } from '../../../domain/ids.ts'
import { SealBroken } from '../../../domain/secrets/sealing.ts'
import { listCredentials, resealCredential } from '../../directory.ts'
import { sealerOf } from '../../env.ts'
import { adminToken } from '../guards.ts'
import { cursorOf, NextCursor, pageOf } from '../pagination.ts'
import { respond } from '../respond.ts'
import { routerFor } from '../router.ts'
import { AccountId, ok, refusals } from '../schemas.ts'

/** Account ids contain no slash; names of records can. */
const parseCursor = (cursor: string): { accountId: string; record: string } => {
  const [accountId = '', ...record] = cursor.split('/')
  return { accountId, record: record.join('/') }
}

/** Each record takes up to two D1 queries, and an invocation may make a thousand. */
const RECORDS_PER_PAGE = 200

export const adminResealRoutes = routerFor('Operators')

adminResealRoutes.add('POST /admin/reseal', {
  operationId: 'adminResealSecrets',
  summary: 'Re-encrypt stored secrets with the first key of SEAL_KEYS',
  description:
    'After you add a new first key, repeat this request with `nextCursor` until it is null. Then no secret in the database needs the older keys. Running jobs can still hold a key that was sealed with one, so remove the older keys a day later. `broken` lists the secrets that none of the keys opens.',
  guards: [adminToken],
  request: { query: z.object({ cursor: cursorOf(`${idPattern('account')}/.+`) }) },
  responses: {
    200: ok(
      z.object({
        checked: z.number().int(),
        resealed: z.number().int(),
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
      const renewed = await sealer.reseal(sealed, { accountId, record }).catch(brokenSeal)
      if (renewed instanceof SealBroken) broken.push({ accountId, record })
      else if (renewed !== null) {
        await resealCredential(c.env.DB, accountId, record, { from: sealed, to: renewed })
        resealed++
      }
    }
    return respond(c, { checked: page.length, resealed, broken, nextCursor })
  },
})

const brokenSeal = (cause: unknown): SealBroken => {
  if (cause instanceof SealBroken) return cause
  throw cause
}
