import { DAY_MS, HOUR_MS } from '../time.ts'
import { type CountedOutcome, KEPT_DAYS, startOf } from './job-totals.ts'
import type { MetricFamily } from './open-metrics.ts'

/** What jobs of the busiest sources have come to. Callers can invent names, and each is a series. */
const MAX_SOURCES = 50

/** Each begins with a full hour or day. */
const windows = { hour: HOUR_MS, day: DAY_MS, week: KEPT_DAYS * DAY_MS } as const

export const sourceFamily = (outcomes: readonly CountedOutcome[], now: number): MetricFamily => {
  const busiest = new Set(busiestOf(outcomes))
  const shown = outcomes.filter(({ source, outcome }) => busiest.has(source) && outcome !== 'canceled')
  return {
    name: 'haul_source_jobs',
    type: 'gauge',
    help: 'Ended jobs of the busiest sources, and the yt-dlp that has read them. Hour: the current one and the one before.',
    samples: Object.entries(windows).flatMap(([window, lengthMs]) => {
      const from = startOf(now, lengthMs === HOUR_MS ? HOUR_MS : DAY_MS) - lengthMs
      const counts = new Map<string, number>()
      for (const { hour, source, outcome, code, version, count } of shown) {
        const name = JSON.stringify({ source, outcome, code, version, window })
        if (hour >= from) counts.set(name, (counts.get(name) ?? 0) + count)
      }
      return [...counts].map(([name, value]) => ({ labels: JSON.parse(name), value }))
    }),
  }
}

const busiestOf = (outcomes: readonly CountedOutcome[]): string[] => {
  const counts = new Map<string, number>()
  for (const { source, count } of outcomes) counts.set(source, (counts.get(source) ?? 0) + count)
  const sources = [...counts].toSorted(([, one], [, other]) => other - one)
  return sources.slice(0, MAX_SOURCES).map(([source]) => source)
}
