import { failureCodes } from '../codes/failures.ts'
import type { Job, JobKind } from '../jobs/job.ts'
import { DAY_MS, HOUR_MS } from '../time.ts'

/** What a job has come to, as operators see it: a canceled job is a failed one with the code CANCELED. */
export const outcomes = ['completed', 'failed', 'canceled'] as const
export type Outcome = (typeof outcomes)[number]

export interface JobEnd {
  kind: JobKind
  outcome: Outcome
  /** Empty for a completed job. */
  code: string
}

export interface JobTotals {
  /** Grows with each change of the other fields or of the held amount: a report with a lower version is late. */
  version: number
  /** Ended jobs. The last one has this number. */
  ends: number
  ended: Record<string, number>
  bytesIn: number
  /** Copied into the caller's bucket. */
  bytesOut: number
  chargedMicros: number
}

export const noTotals: JobTotals = { version: 0, ends: 0, ended: {}, bytesIn: 0, bytesOut: 0, chargedMicros: 0 }

export const endOfJob = ({ kind, state, failure }: Pick<Job, 'kind' | 'state' | 'failure'>): JobEnd => {
  if (state === 'completed') return { kind, outcome: 'completed', code: '' }
  const code = failure?.code ?? 'INTERNAL'
  return { kind, outcome: outcomeOf(code), code }
}

const outcomeOf = (code: string): Outcome => (code === 'CANCELED' ? 'canceled' : 'failed')

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
  ...failureCodes.map((code) => ({ kind, outcome: outcomeOf(code), code })),
])

/** So many jobs of one source ended in one way within an hour, or within a day that is over. */
export interface CountedOutcome extends JobEnd {
  hour: number
  source: string
  /** Of the yt-dlp that has read the source. Empty: none was needed, or it is not known. */
  version: string
  count: number
}

/** Operators see the current hour and the 24 before it. */
export const KEPT_HOURS = 24
/** And the days before, together a week. */
export const KEPT_DAYS = 7
/** An account has so many sources in an hour, or in a day. The others are counted together: callers can invent names. */
const MAX_SOURCES = 50
const OTHER_SOURCES = 'other'

export const startOf = (ms: number, unitMs: number): number => Math.floor(ms / unitMs) * unitMs

/** An end counts in the hour in which it is reported. Hours that are over for a day become a part of their day. */
export const withOutcome = (
  outcomes: readonly CountedOutcome[],
  { kind, outcome, code, host, version }: JobEnd & { host: string; version: string },
  now: number,
): CountedOutcome[] => {
  const hour = startOf(now, HOUR_MS)
  const firstHour = hour - (KEPT_HOURS + 1) * HOUR_MS
  const kept = outcomes
    .filter((each) => each.hour >= startOf(now, DAY_MS) - KEPT_DAYS * DAY_MS)
    .map((each) => (each.hour < firstHour ? { ...each, hour: startOf(each.hour, DAY_MS) } : each))
  const added = { hour, source: host, kind, outcome, code, version, count: 1 }
  return sumOfOutcomes(withFewSources([...kept, added]))
}

const withFewSources = (outcomes: readonly CountedOutcome[]): CountedOutcome[] => {
  const sources = new Map<number, Set<string>>()
  return outcomes.map((each) => {
    const named = sources.get(each.hour) ?? new Set([OTHER_SOURCES])
    sources.set(each.hour, named)
    if (named.size <= MAX_SOURCES) named.add(each.source)
    return named.has(each.source) ? each : { ...each, source: OTHER_SOURCES }
  })
}

/** Newest hour first. The same source can be counted in several lists. */
export const sumOfOutcomes = (outcomes: Iterable<CountedOutcome>): CountedOutcome[] => {
  const sums = new Map<string, CountedOutcome>()
  for (const each of outcomes) {
    const { hour, source, kind, outcome, code, version } = each
    const name = JSON.stringify([hour, source, kind, outcome, code, version])
    const sum = sums.get(name)
    if (sum) sum.count += each.count
    else sums.set(name, { ...each })
  }
  return [...sums.values()].sort((a, b) => b.hour - a.hour)
}

export const byDay = (outcomes: Iterable<CountedOutcome>): CountedOutcome[] =>
  sumOfOutcomes([...outcomes].map((each) => ({ ...each, hour: startOf(each.hour, DAY_MS) })))
