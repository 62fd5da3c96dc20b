/** https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md, as far as it is used here. */
export const OPEN_METRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8'

type Labels = Record<string, string>

export interface Sample {
  labels?: Labels
  value: number
}

const UNIT = /_(bytes|dollars|seconds)$/

export type MetricFamily = {
  /** Without the suffix `_total` of a counter. It ends with the unit, if there is one. */
  name: string
  help: string
} & ({ type: 'counter' | 'gauge'; samples: readonly Sample[] } | { type: 'histogram'; histogram: Histogram })

export interface Histogram {
  /** The upper bounds of the buckets, without +Inf. */
  bounds: readonly number[]
  /** How many values are in each bucket, and in none of them. */
  counts: readonly number[]
  sum: number
}

export interface Series {
  name: string
  labels: Labels
  value: number
}

export const openMetrics = (families: readonly MetricFamily[]): string =>
  `${families.flatMap(linesOf).join('\n')}\n# EOF\n`

const linesOf = (family: MetricFamily): string[] => {
  const { name, type, help } = family
  const [, unit] = UNIT.exec(name) ?? []
  return [
    `# TYPE ${name} ${type}`,
    ...(unit === undefined ? [] : [`# UNIT ${name} ${unit}`]),
    `# HELP ${name} ${escaped(help)}`,
    ...seriesOf(family).map(line),
  ]
}

export const seriesOf = (family: MetricFamily): Series[] => {
  const { name } = family
  if (family.type === 'histogram') return seriesOfHistogram(name, family.histogram)
  const suffix = family.type === 'counter' ? '_total' : ''
  return family.samples.map(({ labels = {}, value }) => ({ name: `${name}${suffix}`, labels, value }))
}

const seriesOfHistogram = (name: string, { bounds, counts, sum }: Histogram): Series[] => {
  let count = 0
  const buckets = [...bounds, Number.POSITIVE_INFINITY].map((bound, index) => {
    count += counts[index] ?? 0
    return { name: `${name}_bucket`, labels: { le: boundText(bound) }, value: count }
  })
  return [
    ...buckets,
    { name: `${name}_sum`, labels: {}, value: sum },
    { name: `${name}_count`, labels: {}, value: count },
  ]
}

const line = ({ name, labels, value }: Series): string => {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}`
}

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')

/** Bounds are labels, so each must always be written in the same way: as a float. */
const boundText = (bound: number): string => {
  if (bound === Number.POSITIVE_INFINITY) return '+Inf'
  return Number.isInteger(bound) ? `${bound}.0` : `${bound}`
}
