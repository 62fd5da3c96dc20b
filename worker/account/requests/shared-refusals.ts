import { accepted, type RefusalCode, type Result, refused } from '../../../domain/codes/refusals.ts'
import type { AccountRows } from '../account-rows.ts'

type Limit = Extract<RefusalCode, 'CONCURRENCY_LIMITED' | 'STORAGE_LIMITED' | 'FREE_WORK_LIMITED'>

interface LimitReached {
  limit: number
  /** Default: nothing. */
  remaining?: number
  /** Default: five seconds, for what ends at a time that nobody can predict. */
  retryAfter?: number
  endpoint: string
  now: number
  message?: string
}

/** The refusal of a request by a limit that is not one on requests. */
export const limitReached = (
  code: Limit,
  { limit, remaining = 0, retryAfter = 5, endpoint, now, message }: LimitReached,
): Result<never> => {
  const reset = Math.ceil(now / 1_000) + retryAfter
  return refused(code, { limit, remaining, reset, retryAfter, endpoint }, message)
}

/** Every start checks this, whatever it starts. Reads, cancellations and jobs that run already go on. */
export const checkSuspension = ({ account }: AccountRows): Result<null> =>
  account.isSuspended ? refused('ACCOUNT_SUSPENDED') : accepted(null)
