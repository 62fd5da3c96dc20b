import { find, make } from '../assets/dom.js'
import { ago } from '../assets/format.js'

/** @typedef {Node | string} Cell */

/**
 * A row, whose first cell names it. On narrow screens each cell shows the name of its column.
 * @param {HTMLTableElement} table
 * @param {Cell[][]} cells
 */
export const makeRow = (table, cells) => {
  const columns = [...table.querySelectorAll('thead th')].map((column) => column.textContent ?? '')
  const row = make('tr')
  row.append(
    ...cells.map((content, index) => {
      const cell = index === 0 ? make('th', { scope: 'row' }, ...content) : make('td', {}, ...content)
      cell.dataset.column = columns[index] ?? ''
      return cell
    }),
  )
  return row
}

/** @param {HTMLTableElement} table @param {HTMLTableRowElement[]} rows */
export const showRows = (table, rows) => {
  const empty = make('td', { className: 'empty', colSpan: table.querySelectorAll('thead th').length })
  empty.append(table.dataset.empty ?? '')
  find('tbody', HTMLTableSectionElement, table).replaceChildren(...(rows.length > 0 ? rows : [make('tr', {}, empty)]))
}

/**
 * A number that programs can read too. `metric` names what it equals in /admin/metrics.
 * @param {number} value
 * @param {string} text
 * @param {string} [metric]
 */
export const makeData = (value, text, metric) => {
  const element = make('data', { value: `${value}` }, text)
  if (metric) element.dataset.metric = metric
  return element
}

/** @param {number} value */
export const count = (value) => value.toLocaleString('en')

/** @param {string | null} iso */
export const makeTime = (iso) => (iso ? make('time', { dateTime: iso, title: iso }, ago(iso)) : '–')

/** @param {string} text */
export const small = (text) => make('small', {}, text)
