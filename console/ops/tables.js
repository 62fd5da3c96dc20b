import { find, make } from '../assets/dom.js'
import { ago, duration, size } from '../assets/format.js'
import { byVersion } from './outcomes.js'

/** @import { DeadDelivery, Engine, OutcomeCount, WaitingSteps } from '../types.js' */
/** @typedef {Node | string} Cell */

/**
 * A table: for each column its title, and what a row has there. The first cell names the row. On narrow screens each cell
 * shows the title of its column. Returns what shows rows, of which the table has the first ones.
 * @template Row
 * @param {string} selector
 * @param {[string, (row: Row) => Cell[], string?][]} columns For each its title, its cells, and a class for the title.
 * @param {{most?: number, others?: string, finish?: (element: HTMLTableRowElement, row: Row) => void}} [options] `others`:
 *   what the rows are that the table does not have. `finish` is called with each row.
 */
export const createTable = (selector, columns, { most = Infinity, others = '', finish = () => {} } = {}) => {
  const table = find(selector, HTMLTableElement)
  const titles = columns.map(([title, , className = '']) =>
    make('th', { scope: 'col' }, make('span', { className }, title)),
  )
  const body = make('tbody')
  table.append(make('thead', {}, make('tr', {}, ...titles)), body)

  const note = (/** @type {string} */ text) =>
    make('tr', {}, make('td', { className: 'muted', colSpan: columns.length }, text))

  /** @param {Row} row */
  const rowOf = (row) => {
    const cells = columns.map(([title, contentOf], index) => {
      const cell = index === 0 ? make('th', { scope: 'row' }) : make('td')
      cell.append(...contentOf(row))
      cell.dataset.column = title
      return cell
    })
    const element = make('tr', {}, ...cells)
    finish(element, row)
    return element
  }

  /** @param {Row[]} rows */
  return (rows) => {
    const shown = rows.slice(0, most).map(rowOf)
    const left = rows.length - shown.length
    if (rows.length === 0) shown.push(note(table.dataset.empty ?? ''))
    if (left > 0) shown.push(note(`and ${count(left)} ${others}`))
    body.replaceChildren(...shown)
  }
}

/** @param {number} value */
export const count = (value) => value.toLocaleString('en')

/**
 * A number that programs can read too. `metric` names what it equals in /admin/metrics.
 * @param {number} value
 * @param {(value: number) => string} [format]
 * @param {string} [metric]
 */
export const makeData = (value, format = count, metric) => {
  const element = make('data', { value: `${value}` }, format(value))
  if (metric) element.dataset.metric = metric
  return element
}

/** @param {string | null} iso */
export const makeTime = (iso) => (iso ? make('time', { dateTime: iso, title: iso }, ago(iso)) : '–')

/** @param {string} text */
export const small = (text) => make('small', {}, text)

/** @param {string} state */
export const makeState = (state) => {
  const mark = make('span', { className: 'state' }, state)
  mark.dataset.state = state
  return mark
}

/** @param {string} code */
const codeOr = (code) => (code ? make('code', {}, code) : '–')

/**
 * How much of something is used, as text and as a bar, which is not announced because the text says the same.
 * @param {number} used
 * @param {number} total
 * @param {(value: number) => string} [format]
 */
const usage = (used, total, format = count) => {
  const bar = make('progress', { className: 'usage', max: Math.max(total, 1), value: used, ariaHidden: 'true' })
  bar.classList.toggle('full', total > 0 && used >= total)
  return [`${format(used)} of ${format(total)}`, bar]
}

/** @type {(rows: Engine[]) => void} */
export const showEngines = createTable('#engines', [
  ['Engine', ({ name }) => [name]],
  ['State', ({ state }) => [makeState(state)]],
  ['Network places', ({ places: { network } }) => usage(network.taken, network.total)],
  ['CPU places', ({ places: { cpu } }) => usage(cpu.taken, cpu.total)],
  ['Disk reserved', ({ disk }) => usage(disk.reservedBytes, disk.totalBytes, size)],
  [
    'yt-dlp',
    ({ extractor }) =>
      extractor?.version ? [`${extractor.version} `, small(extractor.problem ?? extractor.channel)] : ['–'],
  ],
])

/** @type {(rows: WaitingSteps[]) => void} */
export const showWaiting = createTable('#waiting', [
  ['Step', ({ step }) => [step]],
  ['Waiting', ({ step, count: steps }) => [makeData(steps, count, `haul_steps_waiting{step=${JSON.stringify(step)}}`)]],
  ['Oldest', ({ oldestSeconds }) => [duration(Math.round(oldestSeconds))]],
])

/** A source that works with one version and fails with another has two rows, one below the other. */
const showSources = createTable(
  '#sources',
  /** @type {[string, (row: import('./outcomes.js').SourceVersion) => Cell[]][]} */ ([
    ['Source', ({ source }) => [source]],
    ['yt-dlp', ({ version }) => [version || '–']],
    ['Completed', ({ completed }) => [makeData(completed)]],
    ['Failed', ({ failed }) => [makeData(failed)]],
    ['Most frequent code', ({ code }) => [codeOr(code)]],
  ]),
  { most: 20, others: 'with fewer jobs' },
)

/** @param {OutcomeCount[]} outcomes */
export const showLastWeek = (outcomes) => showSources(byVersion(outcomes))

/** @type {(rows: DeadDelivery[]) => void} */
export const showDeadWebhooks = createTable(
  '#dead-webhooks',
  [
    ['Host', ({ host }) => [host]],
    ['Event', ({ type, jobId }) => [type, jobId ? make('code', {}, jobId) : '']],
    ['Account', ({ accountId }) => [make('code', {}, accountId)]],
    ['Attempts', ({ attempts }) => [count(attempts)]],
    ['Last status', ({ status }) => [status === null ? 'no answer' : `${status}`]],
    ['Failed', ({ failedAt }) => [makeTime(failedAt)]],
  ],
  { most: 20, others: 'older ones' },
)
