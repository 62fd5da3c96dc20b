import { defaultLimits } from '../../domain/account/account-limits.ts'
import type { Terms } from '../../domain/account/terms.ts'
import { MAX_MEDIA_SECONDS, RETENTION_DAYS } from '../../domain/limits.ts'
import { defaultPrices } from '../../domain/money/prices.ts'

/** Those of an operator who sets nothing. */
export const defaultTerms: Terms = {
  prices: defaultPrices,
  limits: defaultLimits,
  retentionDays: RETENTION_DAYS,
  maxMediaSeconds: MAX_MEDIA_SECONDS,
}
