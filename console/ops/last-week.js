import { find, make } from '../assets/dom.js'
import { byVersion } from './outcomes.js'
import { count, makeData, makeRow, showRows } from './table.js'

/** @import { OutcomeCount } from './types.js' */

const LISTED = 20

const table = find('#sources', HTMLTableElement)

/** A source that works with one version and fails with another has two rows, one below the other. @param {OutcomeCount[]} outcomes */
export const showLastWeek = (outcomes) => {
  const all = byVersion(outcomes)
  const rows = all
    .slice(0, LISTED)
    .map(({ source, version, completed, failed, code }) =>
      makeRow(table, [
        [source],
        [version || '–'],
        [makeData(completed, count(completed))],
        [makeData(failed, count(failed))],
        [code ? make('code', {}, code) : '–'],
      ]),
    )
  showRows(table, rows)
  const left = all.length - LISTED
  find('#more-sources', HTMLElement).textContent = left > 0 ? `and ${count(left)} with fewer jobs` : ''
}
