/**
 * Places scrapes of GET /admin/metrics on a time line and builds the input of `promtool test rules`, so that
 * Prometheus's own engine says when an alert fires. One minute of the time line is one scrape and one evaluation.
 */

/** The body of a response. null: the scrape failed. */
export type Scrape = string | null

/** The alert fires from the minute `from` up to and with the minute `to`, or to the end of the time line. */
export interface Firing {
  alert: string
  from: number
  to?: number
}

/** The labels that Prometheus adds to every sample of a target. */
const TARGET = 'job="haul",instance="haul.example.com"'

/** The same scrape for so many minutes. */
export const minutes = (count: number, scrape: Scrape): Scrape[] => Array.from({ length: count }, () => scrape)

/**
 * A file for `promtool test rules` that expects exactly these alerts in every minute. JSON is YAML too.
 */
export const alertTest = (rulesFile: string, scrapes: Scrape[], firings: Firing[]): string =>
  JSON.stringify({
    rule_files: [rulesFile],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: inputSeries(scrapes),
        promql_expr_test: scrapes.map((_, minute) => ({
          expr: 'group by (alertname) (ALERTS{alertstate="firing"})',
          eval_time: `${minute}m`,
          exp_samples: firingAt(firings, minute).map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 })),
        })),
      },
    ],
  })

const firingAt = (firings: Firing[], minute: number): string[] =>
  firings.filter(({ from, to = Number.POSITIVE_INFINITY }) => from <= minute && minute <= to).map(({ alert }) => alert)

/** In promtool's notation, with the series `up` that Prometheus writes for each scrape. */
export const inputSeries = (scrapes: Scrape[]): { series: string; values: string }[] => {
  const samples = scrapes.map((scrape) => (scrape === null ? new Map<string, string>() : samplesOf(scrape)))
  const names = new Set(samples.flatMap((each) => [...each.keys()]))
  return [
    { series: `up{${TARGET}}`, values: scrapes.map((scrape) => (scrape === null ? 0 : 1)).join(' ') },
    ...[...names].map((series) => ({ series, values: valuesOf(samples.map((each) => each.get(series))) })),
  ]
}

/** Prometheus marks a series as stale in the first scrape that does not have it. */
const valuesOf = (values: (string | undefined)[]): string =>
  values.map((value, minute) => value ?? (minute > 0 && values[minute - 1] !== undefined ? 'stale' : '_')).join(' ')

const sample = /^([a-z_]+)(?:\{(.*)\})? (-?[\d.]+(?:e[+-]?\d+)?)$/

/** The samples of a scrape by their series. Throws on a line that is neither a comment nor a sample. */
export const samplesOf = (text: string): Map<string, string> => {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const [, name, labels, value = ''] = sample.exec(line) ?? []
      if (!name) throw new Error(`not a sample: ${line}`)
      return [`${name}{${[TARGET, ...(labels ? [labels] : [])].join(',')}}`, value]
    }),
  )
}
