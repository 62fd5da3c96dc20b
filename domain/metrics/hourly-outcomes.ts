import type { JobEnd } from './job-totals.ts'

/** So many jobs of one source ended in one way within an hour. */
export interface HourlyOutcome extends JobEnd {
  /** Its start, in milliseconds since 1970. */
  hour: number
  /** The host of the jobs' URLs. */
  source: string
  count: number
}

/** Newest hour first. The same source can be counted in several lists. */
export const sumOfOutcomes = (lists: readonly HourlyOutcome[][]): HourlyOutcome[] => {
  const sums = new Map<string, HourlyOutcome>()
  for (const each of lists.flat()) {
    const { hour, source, kind, outcome, code } = each
    const name = JSON.stringify([hour, source, kind, outcome, code])
    const sum = sums.get(name)
    if (sum) sum.count += each.count
    else sums.set(name, { ...each })
  }
  return [...sums.values()].sort((a, b) => b.hour - a.hour)
}
