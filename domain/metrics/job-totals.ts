import { failureCodes } from '../codes/failures.ts'
import type { Job, JobKind } from '../jobs/job.ts'
import { HOUR_MS } from '../time.ts'

/** What a job has come to, as operators see it: a canceled job is a failed one with the code CANCELED. */
export const outcomes = ['completed', 'failed', 'canceled'] as const
export type Outcome = (typeof outcomes)[number]

export interface JobEnd {
  kind: JobKind
  outcome: Outcome
  /** Empty for a completed job. */
  code: string
}

/** What an account has counted since its first job. */
export interface JobTotals {
  /** Grows with each change of the other fields or of the held amount: a report with a lower version is late. */
  version: number
  /** Ended jobs. The last one has this number. */
  ends: number
  /** Ended jobs by `nameOfEnd`. */
  ended: Record<string, number>
  /** Downloaded from sources. */
  bytesIn: number
  /** Copied into the caller's bucket. */
  bytesOut: number
  chargedMicros: number
}

export const noTotals: JobTotals = { version: 0, ends: 0, ended: {}, bytesIn: 0, bytesOut: 0, chargedMicros: 0 }

export const endOfJob = ({ kind, state, failure }: Pick<Job, 'kind' | 'state' | 'failure'>): JobEnd => {
  if (state === 'completed') return { kind, outcome: 'completed', code: '' }
  const code = failure?.code ?? 'INTERNAL'
  return { kind, outcome: code === 'CANCELED' ? 'canceled' : 'failed', code }
}

export const nameOfEnd = ({ kind, outcome, code }: JobEnd): string => `${kind} ${outcome} ${code}`

export const endOfName = (name: string): JobEnd => {
  const [kind, outcome, code = ''] = name.split(' ')
  return { kind: kind as JobKind, outcome: outcome as Outcome, code }
}

export const withEnd = (
  totals: JobTotals,
  end: JobEnd,
  { bytesIn, bytesOut, costMicros }: { bytesIn: number; bytesOut: number; costMicros: number },
): JobTotals => ({
  ...totals,
  ends: totals.ends + 1,
  ended: { ...totals.ended, [nameOfEnd(end)]: (totals.ended[nameOfEnd(end)] ?? 0) + 1 },
  bytesIn: totals.bytesIn + bytesIn,
  bytesOut: totals.bytesOut + bytesOut,
  chargedMicros: totals.chargedMicros + costMicros,
})

/** Every way in which a job can end, so that each has a series before the first job ends in it. */
export const knownEnds: readonly JobEnd[] = (['import', 'transcription'] as const).flatMap((kind) => [
  { kind, outcome: 'completed' as const, code: '' },
  ...failureCodes.map((code) => ({
    kind,
    outcome: code === 'CANCELED' ? ('canceled' as const) : ('failed' as const),
    code,
  })),
])

/** So many jobs of one source ended in one way within an hour. */
export interface HourlyOutcome extends JobEnd {
  /** Its start, in milliseconds since 1970. */
  hour: number
  /** The host of the jobs' URLs. */
  source: string
  count: number
}

/** Operators see the current hour and the 24 before it. */
const KEPT_MS = 25 * HOUR_MS
/** An account has so many sources in an hour. The others are counted together: callers can invent names. */
const MAX_SOURCES = 50
const OTHER_SOURCES = 'other'

/** An end counts in the hour in which it is reported. */
export const withOutcome = (
  outcomes: readonly HourlyOutcome[],
  { kind, outcome, code, host }: JobEnd & { host: string },
  now: number,
): HourlyOutcome[] => {
  const hour = Math.floor(now / HOUR_MS) * HOUR_MS
  const kept = outcomes.filter((each) => each.hour >= hour - KEPT_MS)
  const sources = new Set(kept.flatMap((each) => (each.hour === hour ? each.source : [])))
  const source = sources.has(host) || sources.size < MAX_SOURCES ? host : OTHER_SOURCES
  return sumOfOutcomes([...kept, { hour, source, kind, outcome, code, count: 1 }])
}

/** Newest hour first. The same source can be counted in several lists. */
export const sumOfOutcomes = (outcomes: Iterable<HourlyOutcome>): HourlyOutcome[] => {
  const sums = new Map<string, HourlyOutcome>()
  for (const each of outcomes) {
    const { hour, source, kind, outcome, code } = each
    const name = JSON.stringify([hour, source, kind, outcome, code])
    const sum = sums.get(name)
    if (sum) sum.count += each.count
    else sums.set(name, { ...each })
  }
  return [...sums.values()].sort((a, b) => b.hour - a.hour)
}
