import { type AccountLimits, defaultLimits } from './account-limits.ts'
import { MAX_MEDIA_SECONDS, RETENTION_DAYS } from './limits.ts'
import { defaultPrices, type Prices } from './money/prices.ts'

/** What the operator of a deployment sets for all of its accounts. */
export interface Terms {
  prices: Prices
  limits: AccountLimits
  /** How long the media of an import is stored. */
  retentionDays: number
  maxMediaSeconds: number
}

export const defaultTerms: Terms = {
  prices: defaultPrices,
  limits: defaultLimits,
  retentionDays: RETENTION_DAYS,
  maxMediaSeconds: MAX_MEDIA_SECONDS,
}
