import type { Context } from 'hono'
import type { RateClass, RateState } from '../../domain/account/account-limits.ts'
import type { Need } from '../../domain/account/keys.ts'
import { type Refusal, refusal } from '../../domain/codes/refusals.ts'
import { jitteredBackoffMs, retry } from '../../domain/retry.ts'
import type { IdempotencyKey, RequestIdentity } from '../account/calls.ts'
import { configOf, publicUrlOf } from '../env.ts'
import { createOutbound } from '../outbound.ts'

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

type AccountStub = ReturnType<Env['ACCOUNTS']['getByName']>

/** A second call has an effect or an answer of its own. Others only read, or find what the first has made by its id. */
const once: ReadonlySet<string> = new Set<keyof AccountStub>([
  // It answers how many deliveries it has replayed.
  'replayFailed',
  // A second test would be in the log of deliveries, without an end.
  'beginWebhookTest',
])

/** Each pause is half of it to all of it, so that callers of an object that is reset do not come back at one moment. */
const PAUSE = { firstMs: 300, longestMs: 300 }

/**
 * A call whose connection breaks, or whose object is reset by a deploy, is repeated once. The runtime repeats only what has
 * not reached the object. A stub stays broken after such an error, so each call has its own.
 */
export const accountCalls = ({ ACCOUNTS }: Env, accountId: string): AccountStub =>
  new Proxy({} as AccountStub, {
    get:
      (_, act) =>
      (...args: unknown[]) =>
        retry(async () => (ACCOUNTS.getByName(accountId) as unknown as Acts)[act]?.(...args), {
          attempts: once.has(String(act)) ? 1 : 2,
          isRetryable: isInterrupted,
          delayMs: (failures) => jitteredBackoffMs(failures, PAUSE),
        }),
  })

type Acts = Record<string | symbol, (...args: unknown[]) => unknown>

/**
 * What the runtime says of an error: https://developers.cloudflare.com/durable-objects/best-practices/error-handling/
 * After a broken connection or a reset, the call may have had its effect. An object with too much to do is not called again.
 */
type RuntimeError = Partial<Record<'retryable' | 'durableObjectReset' | 'overloaded', boolean>>

const flagsOf = (cause: unknown): RuntimeError => (cause instanceof Error ? (cause as RuntimeError) : {})

const isInterrupted = (cause: unknown): boolean => {
  const { retryable = false, durableObjectReset = false, overloaded = false } = flagsOf(cause)
  return !overloaded && (retryable || durableObjectReset)
}

/** Longer than the start of an object takes. */
const INTERRUPTED_SECONDS = 2
const OVERLOADED_SECONDS = 5

export const refusalOfFault = (cause: unknown): Refusal => {
  if (flagsOf(cause).overloaded) return refusal('SERVICE_BUSY', { retryAfter: OVERLOADED_SECONDS })
  if (isInterrupted(cause)) return refusal('SERVICE_UNAVAILABLE', { retryAfter: INTERRUPTED_SECONDS })
  return refusal('INTERNAL_ERROR')
}
