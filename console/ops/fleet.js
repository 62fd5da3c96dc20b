import { find, make } from '../assets/dom.js'
import { duration, size } from '../assets/format.js'
import { count, makeData, makeRow, showRows } from './table.js'

/** @typedef {import('./types.js').Engine} Engine */
/** @typedef {import('./types.js').WaitingSteps} WaitingSteps */

const engineTable = find('#engines', HTMLTableElement)
const waitingTable = find('#waiting', HTMLTableElement)

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

/** @param {{engines: Engine[], waiting: WaitingSteps[]}} fleet */
export const showFleet = ({ engines, waiting }) => {
  showEngines(engines)
  showWaiting(waiting)
}

/** @param {Engine[]} engines */
const showEngines = (engines) => {
  const rows = engines.map(({ name, state, places: { network, cpu }, disk }) => {
    const mark = make('span', { className: 'state' }, state)
    mark.dataset.state = state
    return makeRow(engineTable, [
      [name],
      [mark],
      usage(network.taken, network.total, count),
      usage(cpu.taken, cpu.total, count),
      usage(disk.reservedBytes, disk.totalBytes, size),
    ])
  })
  showRows(engineTable, rows)
}

/** @param {WaitingSteps[]} waiting */
const showWaiting = (waiting) => {
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
