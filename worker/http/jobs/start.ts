import type { Context } from 'hono'
import type { Answer, IdempotencyClaim, Started } from '../../domain/calls.ts'
import { type Refusal, refusal } from '../../domain/codes/refusals.ts'
import type { ImportRequest, JobKind, TranscribeRequest } from '../../domain/jobs/job.ts'
import type { Micros } from '../../domain/money/money.ts'
import { sha256Hex } from '../../domain/secrets/keys.ts'
import { account, pass, refuseCounted } from '../api.ts'
import type { Api } from '../context.ts'
import { answer } from '../respond.ts'
import { note, wasRefused } from './recently-refused.ts'

/** What remains to be said of a start request after its body was found valid: its price, or why not. */
export type Assessment =
  | { ok: true; request: ImportRequest | TranscribeRequest; hold: Micros; sealedKey?: string | null }
  | { ok: false; refusal: Refusal }

/**
 * The way of every start request: an Idempotency-Key that has an answer already gets it again, else the
 * source is looked at, then the account admits the job in one call.
 */
export const start = async (
  c: Context<Api>,
  kind: JobKind,
  assess: () => Promise<Assessment>,
  render: (started: Started) => unknown,
): Promise<Response> => {
  const claim = await idempotencyClaim(c)
  if (claim instanceof Response) return claim
  const known = claim && (await account(c).claimIdempotency(pass(c), claim))
  if (known && (!known.result.ok || known.result.value)) return answer(c, known as Answer<Started>, render, 202)

  const freeKey = async () => claim && (await account(c).freeIdempotency(claim.key))
  try {
    const response = await startNew(c, { kind, claim, assess, render })
    note(c.var.caller.keyHash, response.status)
    if (response.status !== 202) await freeKey()
    return response
  } catch (cause) {
    await freeKey()
    throw cause
  }
}

interface NewStart {
  kind: JobKind
  claim: IdempotencyClaim | null
  assess: () => Promise<Assessment>
  render: (started: Started) => unknown
}

const startNew = async (c: Context<Api>, { kind, claim, assess, render }: NewStart): Promise<Response> => {
  const early = wasRefused(c.var.caller.keyHash) ? await account(c).mayStart(pass(c), kind) : null
  if (early && !early.result.ok) return answer(c, early, () => null, 202)
  const assessed = await assess()
  if (!assessed.ok) return refuseCounted(c, assessed.refusal)
  const { ok: _, ...found } = assessed
  const admitted = await account(c).admit(pass(c), { kind, ...found, idempotency: claim })
  return answer(c, admitted, render, 202)
}

/** A webhook must lead to a public address. */
export const webhookProblem = async (c: Context<Api>, webhookUrl: string | undefined): Promise<Refusal | null> => {
  if (webhookUrl === undefined || (await c.var.parts.outbound.mayReach(new URL(webhookUrl)))) return null
  return refusal('INVALID_REQUEST', { details: [{ path: 'webhookUrl', message: 'must be a public address' }] })
}

const KEY = /^[\x21-\x7e]{1,255}$/

const idempotencyClaim = async (c: Context<Api>): Promise<IdempotencyClaim | null | Response> => {
  const key = c.req.header('idempotency-key')
  if (key === undefined) return null
  if (!KEY.test(key)) {
    const details = [{ path: 'Idempotency-Key', message: 'must have 1 to 255 visible ASCII characters' }]
    return refuseCounted(c, refusal('INVALID_REQUEST', { details }))
  }
  return { key, fingerprint: await sha256Hex(`${c.req.method} ${c.req.path}\n${await c.req.text()}`) }
}
