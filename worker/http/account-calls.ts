import { type Refusal, refusal } from '../../domain/codes/refusals.ts'
import { jitteredBackoffMs, retry } from '../../domain/retry.ts'

type AccountStub = ReturnType<Env['ACCOUNTS']['getByName']>

/**
 * Acts that are not repeated, because a second call has an effect or an answer of its own. All others that requests call
 * can be: they only read, lead to the same state, or find what the first call has made by an id that the Worker chose.
 */
const once: ReadonlySet<string> = new Set<keyof AccountStub>([
  // It answers how many deliveries it has replayed.
  'replayFailed',
  // A second test would be in the log of deliveries, without an end.
  'beginWebhookTest',
])

/** Each pause is half of it to all of it, so that callers of an object that is reset do not come back at one moment. */
const PAUSE = { firstMs: 300, longestMs: 300 }

/**
 * An account, for the requests of callers and operators. A call whose connection breaks, or whose object is reset by a
 * deploy, is repeated once. The runtime repeats only what has not reached the object. A stub stays broken after such an
 * error, so each call has its own.
 */
export const accountCalls = ({ ACCOUNTS }: Env, accountId: string): AccountStub =>
  new Proxy({} as AccountStub, {
    get:
      (_, act) =>
      (...args: unknown[]) =>
        retry(async () => callOf(ACCOUNTS.getByName(accountId), act, args), {
          attempts: once.has(String(act)) ? 1 : 2,
          isRetryable: isInterrupted,
          delayMs: (failures) => jitteredBackoffMs(failures, PAUSE),
        }),
  })

const callOf = (stub: AccountStub, act: string | symbol, args: unknown[]): unknown =>
  (stub as unknown as Record<string | symbol, (...args: unknown[]) => unknown>)[act]?.(...args)

/** What the runtime says of an error: https://developers.cloudflare.com/durable-objects/best-practices/error-handling/ */
interface RuntimeError {
  /** The connection to an object broke. The call may have had its effect. */
  retryable?: boolean
  /** The object was reset, by a deploy for example. The call may have had its effect. */
  durableObjectReset?: boolean
  /** The object has too much to do. Another call would add to it. */
  overloaded?: boolean
}

const flagsOf = (cause: unknown): RuntimeError => (cause instanceof Error ? (cause as RuntimeError) : {})

/** Whether a call of an object failed because of the platform, and may succeed when it is repeated. */
const isInterrupted = (cause: unknown): boolean => {
  const { retryable = false, durableObjectReset = false, overloaded = false } = flagsOf(cause)
  return !overloaded && (retryable || durableObjectReset)
}

/** Longer than the start of an object takes. */
const INTERRUPTED_SECONDS = 2
const OVERLOADED_SECONDS = 5

/** The response to a fault. Its cause is in the log. */
export const refusalOfFault = (cause: unknown): Refusal => {
  if (flagsOf(cause).overloaded) return refusal('SERVICE_BUSY', { retryAfter: OVERLOADED_SECONDS })
  if (isInterrupted(cause)) return refusal('SERVICE_UNAVAILABLE', { retryAfter: INTERRUPTED_SECONDS })
  return refusal('INTERNAL_ERROR')
}
