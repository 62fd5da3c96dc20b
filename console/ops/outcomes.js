/** @import { Outcome, OutcomeCount } from '../types.js' */
/** @typedef {{source: string, code: string}} Cause */

const HOUR_MS = 3_600_000
/** The API counts 24 full hours and the current one. */
const HOURS = 25

/**
 * The starts of the hours of the last day, the oldest first. The last one is the current hour, by the later of two clocks: the
 * browser's may be slow.
 * @param {OutcomeCount[]} outcomes
 * @param {number} nowMs
 */
export const hoursOf = (outcomes, nowMs) => {
  const latest = Math.floor(outcomes.reduce((max, { hour }) => Math.max(max, Date.parse(hour)), nowMs) / HOUR_MS)
  return Array.from({ length: HOURS }, (_, index) => (latest - HOURS + 1 + index) * HOUR_MS)
}

/** How many jobs ended in each of the hours. @param {OutcomeCount[]} outcomes @param {number[]} hours */
export const countsByHour = (outcomes, hours) => {
  const counts = new Map(hours.map((hour) => [hour, 0]))
  for (const { hour, count } of outcomes) {
    const before = counts.get(Date.parse(hour))
    if (before !== undefined) counts.set(Date.parse(hour), before + count)
  }
  return [...counts.values()]
}

/** @param {OutcomeCount[]} outcomes */
export const countOf = (outcomes) => outcomes.reduce((sum, { count }) => sum + count, 0)

/** @param {OutcomeCount[]} outcomes */
export const sourcesOf = (outcomes) => [...new Set(outcomes.map(({ source }) => source))].toSorted()

/** @param {OutcomeCount[]} outcomes @param {Outcome} wanted */
export const ofOutcome = (outcomes, wanted) => outcomes.filter(({ outcome }) => outcome === wanted)

/** Failures by source and code, the most frequent first. @param {OutcomeCount[]} failures */
export const causesOf = (failures) => {
  /** @type {Map<string, Cause & {count: number, outcomes: OutcomeCount[]}>} */
  const causes = new Map()
  for (const failure of failures) {
    const { source, code, count } = failure
    const key = JSON.stringify([source, code])
    const cause = causes.get(key) ?? { source, code, count: 0, outcomes: [] }
    cause.count += count
    cause.outcomes.push(failure)
    causes.set(key, cause)
  }
  const order = (/** @type {Cause} */ { source, code }) => `${source} ${code}`
  return [...causes.values()].toSorted((a, b) => b.count - a.count || (order(a) < order(b) ? -1 : 1))
}

/** @typedef {{source: string, version: string, completed: number, failed: number, code: string}} SourceVersion */

/**
 * What jobs of each source came to with each version of yt-dlp, and their most frequent code. Sources with the most jobs
 * come first, their newest version first.
 * @param {OutcomeCount[]} outcomes
 * @returns {SourceVersion[]}
 */
export const byVersion = (outcomes) => {
  const counted = outcomes.filter(({ outcome }) => outcome !== 'canceled')
  const bySource = Object.entries(Object.groupBy(counted, ({ source }) => source))
  const mostFirst = bySource.toSorted(([, a = []], [, b = []]) => countOf(b) - countOf(a))
  return mostFirst.flatMap(([source, ofSource = []]) => {
    const versions = Object.entries(Object.groupBy(ofSource, ({ version }) => version))
    const newestFirst = versions.toSorted(([a], [b]) => b.localeCompare(a, 'en', { numeric: true }))
    return newestFirst.map(([version, same = []]) => {
      const failures = ofOutcome(same, 'failed')
      const completed = countOf(ofOutcome(same, 'completed'))
      const code = causesOf(failures)[0]?.code ?? ''
      return { source, version, completed, failed: countOf(failures), code }
    })
  })
}
