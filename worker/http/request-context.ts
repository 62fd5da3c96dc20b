import type { Context } from 'hono'
import type { RateClass, RateState } from '../../domain/account/account-limits.ts'
import type { Need, Scope } from '../../domain/account/keys.ts'
import type { IdempotencyKey, RequestIdentity } from '../account/calls.ts'
import { configOf, publicUrlOf } from '../env.ts'
import type { Offer } from '../fleet/offered-models.ts'
import { createOutbound } from '../outbound.ts'
import { accountCalls } from './account-calls.ts'

export interface Caller {
  accountId: string
  keyHash: string
}

export interface HttpEnv {
  Bindings: Env
  Variables: {
    requestId: string
    rateClass: RateClass
    /** The key needs one of these. None: any key will do. */
    needs: readonly Need[]
    /** The key needs this as well. */
    alsoNeeds?: Scope
    /** Whether pages of other origins may read the response, if the key names them. */
    fromPages: boolean
    /** The page of another origin that may read the response. */
    allowedOrigin?: string
    /** null until the account has answered. */
    rate: RateState | null
    caller: Caller
    /** Set by the `idempotencyKey` guard; null without an Idempotency-Key header. */
    idempotency: IdempotencyKey | null
    /** The id of the message of MCP, once it is read. */
    rpcId?: string | number
    /** See offer-of-request.ts. */
    offer?: Offer
    /** What an operator's request changes or would change, for the log. Never a token or a key. */
    changes?: object
  }
}

export const account = (c: Context<HttpEnv>) => accountCalls(c.env, c.get('caller').accountId)

/** With `get`, because each `c.var` builds an object of all variables. */
export const identity = (c: Context<HttpEnv>): RequestIdentity => ({
  keyHash: c.get('caller').keyHash,
  rateClass: c.get('rateClass'),
  endpoint: c.req.path,
  needs: c.get('needs'),
  alsoNeeds: c.get('alsoNeeds'),
  origin: foreignOrigin(c),
})

/** The origin of the page that sends the request. null: a program sends it, or a page of this service. */
export const foreignOrigin = (c: Context<HttpEnv>): string | null => {
  const origin = c.req.header('origin')
  return origin === undefined || origin === new URL(publicUrl(c)).origin ? null : origin
}

/** Where callers reach the Worker: PUBLIC_URL, else the origin that this request was sent to. */
export const publicUrl = (c: Context<HttpEnv>): string => publicUrlOf(c.env) || new URL(c.req.url).origin

/** What a job that this request starts remembers. null: PUBLIC_URL always wins. */
export const originToKeep = (c: Context<HttpEnv>): string | null => (publicUrlOf(c.env) ? null : publicUrl(c))

export const outbound = (c: Context<HttpEnv>) => createOutbound(configOf(c.env))
