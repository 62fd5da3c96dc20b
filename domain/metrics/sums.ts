import type { AccountReport } from './account-report.ts'
import type { JobTotals } from './job-totals.ts'

/** The totals of many accounts, and the counters of events. */
export interface Sums extends Omit<JobTotals, 'version' | 'ends'> {
  heldMicros: number
  /** How many accounts have each version of the schema. */
  schemaVersions: Record<string, number>
  counters: Record<string, number>
}

/** Of one metrics object. An earlier version of it does not count versions of the schema. */
export type PartOfSums = Omit<Sums, 'schemaVersions'> & Partial<Pick<Sums, 'schemaVersions'>>

/** What of the reports of an account is added up. */
export interface LastReport extends Pick<AccountReport, 'totals' | 'heldMicros'> {
  /** null: not reported. */
  schemaVersion: number | null
}

/** Of an account that has reported, but not its version. */
export const UNKNOWN_VERSION = 'unknown'

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
  addCounts(sums.ended, totals.ended, sign)
  sums.bytesIn += sign * totals.bytesIn
  sums.bytesOut += sign * totals.bytesOut
  sums.chargedMicros += sign * totals.chargedMicros
  sums.heldMicros += sign * heldMicros
  addCounts(sums.schemaVersions, { [schemaVersion ?? UNKNOWN_VERSION]: 1 }, sign)
}

export const sumOfSums = (all: readonly PartOfSums[]): Sums => {
  const sums = noSums()
  for (const { ended, schemaVersions = {}, counters, ...amounts } of all) {
    addCounts(sums.ended, ended, 1)
    addCounts(sums.schemaVersions, schemaVersions, 1)
    addCounts(sums.counters, counters, 1)
    for (const name of ['bytesIn', 'bytesOut', 'chargedMicros', 'heldMicros'] as const) sums[name] += amounts[name]
  }
  return sums
}

/** A count that has become zero stays: a counter's series must not disappear. */
export const addCounts = (to: Record<string, number>, counts: Record<string, number>, sign: 1 | -1): void => {
  for (const [name, count] of Object.entries(counts)) to[name] = (to[name] ?? 0) + sign * count
}
