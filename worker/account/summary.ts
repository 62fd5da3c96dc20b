import { accepted } from '../../domain/codes/refusals.ts'
import type { PageRequest } from './calls.ts'
import { entries, totals } from './holds-and-ledger.ts'
import { readRequestAct } from './requests/authenticated-request.ts'
import { freeWorkLeft } from './requests/free-work.ts'
import { countFailed } from './webhooks/delivery-rows.ts'

export const summary = readRequestAct(({ rows, key, now }) => {
  const { id, name } = rows.account
  const { limits, prices } = rows
  const { retentionDays } = rows.terms
  const failedDeliveries = countFailed(rows.sql)
  const freeWork = freeWorkLeft(rows, key, now)
  const money = { ...totals(rows), prices }
  const { search } = rows.account
  return accepted({ accountId: id, name, ...money, retentionDays, limits, freeWork, failedDeliveries, search })
})

export const ledger = readRequestAct(({ rows }, page: PageRequest) =>
  accepted(entries(rows.sql, page.before, page.limit)),
)
