/** @import { Sample } from './types.js' */

/**
 * The samples of a series such as `haul_engines{state="running"}`, whatever their other labels are.
 * @param {Sample[]} samples
 * @param {string} series
 */
const matching = (samples, series) => {
  const [, name, label, wanted] = /^(\w+)(?:\{(\w+)="([^"]*)"\})?$/.exec(series) ?? []
  return samples.filter((sample) => sample.name === name && (label === undefined || sample.labels[label] === wanted))
}

/** @param {Sample[]} samples @param {string} series */
export const sumOf = (samples, series) => matching(samples, series).reduce((sum, { value }) => sum + value, 0)

/** @param {Sample[]} samples @param {string} series */
export const maxOf = (samples, series) => matching(samples, series).reduce((max, { value }) => Math.max(max, value), 0)

/**
 * The smallest bound of a histogram below which the share of its values lies: Infinity above the last bound, null
 * without values.
 * @param {Sample[]} samples
 * @param {string} histogram
 * @param {number} share
 */
export const boundOf = (samples, histogram, share) => {
  const count = sumOf(samples, `${histogram}_count`)
  if (count === 0) return null
  const bounds = matching(samples, `${histogram}_bucket`)
    .filter(({ value }) => value >= share * count)
    .map(({ labels }) => (labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels.le)))
  return Math.min(Number.POSITIVE_INFINITY, ...bounds)
}
