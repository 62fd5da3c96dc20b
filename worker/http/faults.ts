import { type Refusal, refusal } from '../../domain/codes/refusals.ts'

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
export const isInterrupted = (cause: unknown): boolean => {
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
