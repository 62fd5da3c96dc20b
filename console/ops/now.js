import { duration, size } from '../assets/format.js'
import { boundOf, maxOf, sumOf } from './samples.js'
import { count } from './table.js'

/** @typedef {import('./types.js').Sample} Sample */

/** Sums of many jobs. */
const cents = (/** @type {number} */ amount) => amount.toLocaleString('en', { style: 'currency', currency: 'USD' })

/** @type {Record<string, (value: number) => string>} */
const formats = { count, cents, duration, size }

/**
 * Shows the metrics in the elements that name one: the sum of its samples, or the largest.
 * @param {Sample[]} samples
 */
export const showMetrics = (samples) => {
  for (const element of document.querySelectorAll('data[data-metric][data-format]')) {
    if (!(element instanceof HTMLDataElement)) continue
    const { metric = '', format = '', aggregate } = element.dataset
    const value = aggregate === 'max' ? maxOf(samples, metric) : sumOf(samples, metric)
    element.value = `${value}`
    element.textContent = formats[format]?.(value) ?? `${value}`
  }
  for (const element of document.querySelectorAll('[data-histogram]')) {
    if (!(element instanceof HTMLElement)) continue
    const bound = boundOf(samples, element.dataset.histogram ?? '', 0.95)
    element.textContent = bound === null ? '–' : bound === Number.POSITIVE_INFINITY ? 'longer' : duration(bound)
  }
}
