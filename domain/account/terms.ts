import type { Prices } from '../money/prices.ts'
import type { AccountLimits } from './account-limits.ts'

/** What the operator of a deployment sets for all of its accounts. */
export interface Terms {
  prices: Prices
  limits: AccountLimits
  retentionDays: number
  maxMediaSeconds: number
}
