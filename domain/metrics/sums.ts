import type { AccountReport } from './account-report.ts'
import type { JobTotals } from './job-totals.ts'

export interface Sums extends Omit<JobTotals, 'version' | 'ends'> {
  heldMicros: number
  schemaVersions: Record<string, number>
  counters: Record<string, number>
}

export type LastReport = Pick<AccountReport, 'totals' | 'heldMicros' | 'schemaVersion'>

export const noSums = (): Sums => ({
  ended: {},
  bytesIn: 0,
  bytesOut: 0,
  chargedMicros: 0,
  heldMicros: 0,
  schemaVersions: {},
  counters: {},
})

/** Changes `sums`: adds what an account has reported, or takes it away before its next report is added. */
export const addReport = (sums: Sums, { totals, heldMicros, schemaVersion }: LastReport, sign: 1 | -1): void => {
  const { ended, bytesIn, bytesOut, chargedMicros } = totals
  const schemaVersions = { [schemaVersion]: 1 }
  addSums(sums, { ended, bytesIn, bytesOut, chargedMicros, heldMicros, schemaVersions, counters: {} }, sign)
}

export const sumOfSums = (all: readonly Sums[]): Sums => {
  const sums = noSums()
  for (const each of all) addSums(sums, each, 1)
  return sums
}

const addSums = (to: Sums, { ended, schemaVersions, counters, ...amounts }: Sums, sign: 1 | -1): void => {
  addCounts(to.ended, ended, sign)
  addCounts(to.schemaVersions, schemaVersions, sign)
  addCounts(to.counters, counters, sign)
  for (const name of ['bytesIn', 'bytesOut', 'chargedMicros', 'heldMicros'] as const) to[name] += sign * amounts[name]
}

/** A count that has become zero stays: a counter's series must not disappear. */
const addCounts = (to: Record<string, number>, counts: Record<string, number>, sign: 1 | -1): void => {
  for (const [name, count] of Object.entries(counts)) to[name] = (to[name] ?? 0) + sign * count
}
