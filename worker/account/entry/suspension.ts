import { accepted, type Result, refused } from '../../../domain/codes/refusals.ts'
import type { AccountRows } from '../account-rows.ts'

/** Every start checks this, whatever it starts. Reads, cancellations and jobs that run already go on. */
export const checkSuspension = ({ account }: AccountRows): Result<null> =>
  account.isSuspended ? refused('ACCOUNT_SUSPENDED') : accepted(null)
