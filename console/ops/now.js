import { find, make } from '../assets/dom.js'
import { duration, size } from '../assets/format.js'
import { boundOf, maxOf, sumOf } from './samples.js'
import { count, makeData, makeRow, makeTime, showRows, small } from './table.js'

/** @import { DeadDelivery, Engine, Sample, WaitingSteps } from './types.js' */

const engineTable = find('#engines', HTMLTableElement)
const waitingTable = find('#waiting', HTMLTableElement)
const deadWebhookTable = find('#dead-webhooks', HTMLTableElement)
const LISTED_WEBHOOKS = 20

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

/**
 * How much of something is used, as text and as a bar.
 * @param {number} used
 * @param {number} total
 * @param {(value: number) => string} format
 */
const usage = (used, total, format) => {
  const text = `${format(used)} of ${format(total)}`
  // The text says the same, so the bar is not announced.
  const bar = make('progress', { className: 'usage', max: Math.max(total, 1), value: used, ariaHidden: 'true' })
  bar.classList.toggle('full', total > 0 && used >= total)
  return [text, bar]
}

/** Its version, and what is wrong with it. @param {Engine['extractor']} extractor */
const extractorOf = (extractor) => {
  if (!extractor?.version) return ['–']
  const { version, channel, problem } = extractor
  return [`${version} `, small(problem ?? channel)]
}

/** @param {Engine[]} engines */
export const showEngines = (engines) => {
  const rows = engines.map(({ name, state, places: { network, cpu }, disk, extractor }) => {
    const mark = make('span', { className: 'state' }, state)
    mark.dataset.state = state
    return makeRow(engineTable, [
      [name],
      [mark],
      usage(network.taken, network.total, count),
      usage(cpu.taken, cpu.total, count),
      usage(disk.reservedBytes, disk.totalBytes, size),
      extractorOf(extractor),
    ])
  })
  showRows(engineTable, rows)
}

/** @param {WaitingSteps[]} waiting */
export const showWaiting = (waiting) => {
  const rows = waiting
    .filter(({ count: steps }) => steps > 0)
    .map(({ step, count: steps, oldestSeconds }) =>
      makeRow(waitingTable, [
        [step],
        [makeData(steps, count(steps), `haul_steps_waiting{step=${JSON.stringify(step)}}`)],
        [duration(Math.round(oldestSeconds))],
      ]),
    )
  showRows(waitingTable, rows)
}

/** @param {DeadDelivery[]} deliveries */
export const showDeadWebhooks = (deliveries) => {
  const rows = deliveries
    .slice(0, LISTED_WEBHOOKS)
    .map(({ host, type, jobId, accountId, attempts, status, failedAt }) =>
      makeRow(deadWebhookTable, [
        [host],
        [type, jobId ? make('code', {}, jobId) : ''],
        [make('code', {}, accountId)],
        [count(attempts)],
        [status === null ? 'no answer' : `${status}`],
        [makeTime(failedAt)],
      ]),
    )
  showRows(deadWebhookTable, rows)
  const left = deliveries.length - rows.length
  find('#older-webhooks', HTMLElement).textContent = left > 0 ? `and ${count(left)} older ones` : ''
}
