import { limitsOf } from '../../domain/account-limits.ts'
import { accepted, type Result } from '../../domain/codes/refusals.ts'
import type { AccountSummary, PageRequest } from './calls.ts'
import { readRequestAct } from './entry/authenticated-request.ts'
import { entries, totals } from './holds-and-ledger.ts'
import { countFailed } from './webhooks/delivery-rows.ts'

/** The account as its callers see it. */
export const summary = readRequestAct(({ rows }): Result<AccountSummary> => {
  const { id, name, limits } = rows.account
  const failedDeliveries = countFailed(rows.sql)
  return accepted({ accountId: id, name, ...totals(rows), limits: limitsOf(limits), failedDeliveries })
})

export const ledger = readRequestAct(({ rows }, page: PageRequest) =>
  accepted(entries(rows.sql, page.before, page.limit)),
)
