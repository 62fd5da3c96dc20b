import { find, make } from '../assets/dom.js'
import { count, makeRow, makeTime, showRows } from './table.js'

/** @typedef {import('./types.js').DeadDelivery} DeadDelivery */

const LISTED = 20

const table = find('#dead-webhooks', HTMLTableElement)

/** @param {DeadDelivery[]} deliveries */
export const showDeadWebhooks = (deliveries) => {
  const rows = deliveries
    .slice(0, LISTED)
    .map(({ host, type, jobId, accountId, attempts, status, failedAt }) =>
      makeRow(table, [
        [host],
        [type, jobId ? make('code', {}, jobId) : ''],
        [make('code', {}, accountId)],
        [count(attempts)],
        [status === null ? 'no answer' : `${status}`],
        [makeTime(failedAt)],
      ]),
    )
  showRows(table, rows)
  const left = deliveries.length - rows.length
  find('#older-webhooks', HTMLElement).textContent = left > 0 ? `and ${count(left)} older ones` : ''
}
