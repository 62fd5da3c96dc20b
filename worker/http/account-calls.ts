import { type Refusal, refusal } from '../../domain/codes/refusals.ts'
import { jitteredBackoffMs, retry } from '../../domain/retry.ts'

type AccountStub = ReturnType<Env['ACCOUNTS']['getByName']>

/**
 * Calls that are not repeated, because a second call has an effect or an answer of its own. All others only read, lead to the
 * same state, or find what the first call made by an id that the Worker chose.
 */
const once: ReadonlySet<string> = new Set<keyof AccountStub>([
  // It returns how many deliveries it has replayed.
  'replayFailed',
  // The delivery log would list a second test that never ends.
  'beginWebhookTest',
])

/** The pause is random, half of this to all of it: callers of an object that is reset must not return all at once. */
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
        retry(async () => (ACCOUNTS.getByName(accountId) as unknown as Acts)[act]?.(...args), {
          attempts: once.has(String(act)) ? 1 : 2,
          isRetryable: isInterrupted,
          delayMs: (failures) => jitteredBackoffMs(failures, PAUSE),
        }),
  })

type Acts = Record<string | symbol, (...args: unknown[]) => unknown>

/**
 * The flags of https://developers.cloudflare.com/durable-objects/best-practices/error-handling/. After a broken connection or
 * a reset, the call may have had its effect. An overloaded object is not called again: that would add to its load.
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

/** The response to a fault. Its cause is in the log. */
export const refusalOfFault = (cause: unknown): Refusal => {
  if (flagsOf(cause).overloaded) return refusal('SERVICE_BUSY', { retryAfter: OVERLOADED_SECONDS })
  if (isInterrupted(cause)) return refusal('SERVICE_UNAVAILABLE', { retryAfter: INTERRUPTED_SECONDS })
  return refusal('INTERNAL_ERROR')
}
