import { duration, size } from '../assets/format.js'

/** @import { Sample } from '../types.js' */

/** The samples of a series such as `haul_engines{state="running"}`, whatever their other labels are. @param {Sample[]} samples @param {string} series */
const matching = (samples, series) => {
  const [, name, label, wanted] = /^(\w+)(?:\{(\w+)="([^"]*)"\})?$/.exec(series) ?? []
  return samples.filter((sample) => sample.name === name && (label === undefined || sample.labels[label] === wanted))
}

/** @param {Sample[]} samples @param {string} series */
export const sumOf = (samples, series) => matching(samples, series).reduce((sum, { value }) => sum + value, 0)

/** @param {Sample[]} samples @param {string} series */
export const maxOf = (samples, series) => Math.max(0, ...matching(samples, series).map(({ value }) => value))

/**
 * The smallest bound of a histogram below which the share of its values lies: Infinity above the last bound, null
 * without values.
 * @param {Sample[]} samples
 * @param {string} histogram
 * @param {number} share
 */
export const boundOf = (samples, histogram, share) => {
  const total = sumOf(samples, `${histogram}_count`)
  if (total === 0) return null
  const bounds = matching(samples, `${histogram}_bucket`)
    .filter(({ value }) => value >= share * total)
    .map(({ labels }) => (labels.le === '+Inf' ? Infinity : Number(labels.le)))
  return Math.min(Infinity, ...bounds)
}

/** @type {Record<string, (value: number) => string>} */
const formats = {
  count: (value) => value.toLocaleString('en'),
  // Sums of many jobs.
  cents: (value) => value.toLocaleString('en', { style: 'currency', currency: 'USD' }),
  duration,
  size,
}

/** Shows the metrics in the elements that name one: the sum of its samples, or the largest. @param {Sample[]} samples */
export const showMetrics = (samples) => {
  for (const element of document.querySelectorAll('data[data-metric][data-format]')) {
    if (!(element instanceof HTMLDataElement)) continue
    const { metric = '', format = '', aggregate } = element.dataset
    const value = aggregate === 'max' ? maxOf(samples, metric) : sumOf(samples, metric)
    element.value = `${value}`
    element.textContent = formats[format]?.(value) ?? `${value}`
  }
  for (const element of document.querySelectorAll('[data-histogram]')) {
    const bound = boundOf(samples, element.getAttribute('data-histogram') ?? '', 0.95)
    element.textContent = bound === null ? '–' : bound === Infinity ? 'longer' : duration(bound)
  }
}
