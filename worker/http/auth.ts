import type { MiddlewareHandler } from 'hono'
import { refusal } from '../domain/codes/refusals.ts'
import { parseKey, sameText, sha256Hex } from '../domain/secrets/keys.ts'
import type { Api } from './context.ts'
import { refuse } from './respond.ts'

/** RFC 6750: the scheme's name is not case-sensitive, and there is one token. */
const bearer = (header: string | undefined): string | null =>
  /^Bearer +([\x21-\x7e]+) *$/i.exec(header ?? '')?.[1] ?? null

/** A key with a wrong checksum dies here; whether it is still live is the account's to say, in the same call. */
export const needsKey: MiddlewareHandler<Api> = async (c, next) => {
  const apiKey = bearer(c.req.header('authorization'))
  const parsed = apiKey && (await parseKey(await c.var.parts.keySigner(), apiKey))
  if (!parsed) return refuse(c, refusal('UNAUTHORIZED'))
  c.set('caller', { accountId: parsed.accountId, keyHash: parsed.hash })
  await next()
}

/** Hashes are compared, so that the time it takes says nothing about the token's length or its beginning. */
export const needsAdminToken: MiddlewareHandler<Api> = async (c, next) => {
  const token = bearer(c.req.header('authorization')) ?? ''
  const isAdmin = sameText(await sha256Hex(token), await sha256Hex(c.var.parts.config.adminToken))
  if (!isAdmin) {
    return refuse(
      c,
      refusal('UNAUTHORIZED', {}, 'A valid operator token is required: Authorization: Bearer <ADMIN_TOKEN>.'),
    )
  }
  await next()
}
