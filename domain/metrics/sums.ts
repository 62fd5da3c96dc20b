import type { AccountReport } from './account-report.ts'
import type { JobTotals } from './job-totals.ts'

/** The totals of many accounts, and the counters of events. */
export interface Sums extends Omit<JobTotals, 'version' | 'ends'> {
  heldMicros: number
  counters: Record<string, number>
}

export const noSums = (): Sums => ({
  ended: {},
  bytesIn: 0,
  bytesOut: 0,
  chargedMicros: 0,
  heldMicros: 0,
  counters: {},
})

/** Changes `sums`: adds what an account has reported, or takes it away before its next report is added. */
export const addReport = (
  sums: Sums,
  { totals, heldMicros }: Pick<AccountReport, 'totals' | 'heldMicros'>,
  sign: 1 | -1,
): void => {
  addCounts(sums.ended, totals.ended, sign)
  sums.bytesIn += sign * totals.bytesIn
  sums.bytesOut += sign * totals.bytesOut
  sums.chargedMicros += sign * totals.chargedMicros
  sums.heldMicros += sign * heldMicros
}

export const sumOfSums = (all: readonly Sums[]): Sums => {
  const sums = noSums()
  for (const { ended, counters, ...amounts } of all) {
    addCounts(sums.ended, ended, 1)
    addCounts(sums.counters, counters, 1)
    for (const name of ['bytesIn', 'bytesOut', 'chargedMicros', 'heldMicros'] as const) sums[name] += amounts[name]
  }
  return sums
}

/** A count that has become zero stays: a counter's series must not disappear. */
export const addCounts = (to: Record<string, number>, counts: Record<string, number>, sign: 1 | -1): void => {
  for (const [name, count] of Object.entries(counts)) to[name] = (to[name] ?? 0) + sign * count
}
