import { may, mayCancel } from '../account/permissions.js'
import { createCard } from '../cards.js'
import { find, make, makeButton, makeTable } from '../dom.js'
import { isOver } from '../follow.js'
import { ago, capitalized, dollars, placeOf, price } from '../format.js'

/** @import { Batch, BatchItem } from '../../types.js' */
/** @import { Action } from '../cards.js' */
/** @typedef {{toggle: () => void, cancel: () => void, retry: () => void}} BatchActions */

/** @param {Batch} batch */
export const batchTitle = ({ title, kind, counts }) => {
  const what = kind === 'import' ? 'imports' : 'transcriptions'
  return title || (counts.total === null ? `A playlist of ${what}` : `${counts.total} ${what}`)
}

/** One batch in the list. @param {BatchActions} handlers */
export const createBatchCard = (handlers) => {
  const card = createCard('batch')
  return {
    ...card,
    /** @param {Batch} batch */
    draw: (batch) => {
      card.draw({
        title: batchTitle(batch),
        state: capitalized(batch.status),
        isLive: !isOver(batch),
        facts: factsOf(batch),
        actions: actionsOf(batch, handlers),
      })
      drawProgress(find('progress', HTMLProgressElement, card.element), batch)
    },
  }
}

/** @param {Batch} batch @returns {(string | Node)[]} */
const factsOf = ({ counts, costInDollars, maxCostDollars, message, code, createdAt, status }) => {
  const { total, waiting, running, completed, failed, skipped } = counts
  const named = { waiting, running, done: completed, failed, skipped }
  const shown = Object.entries(named).flatMap(([name, count]) => (count > 0 ? [`${count} ${name}`] : []))
  const listing = total === null && status === 'queued' ? ['Reading the list'] : []
  const problem = message ? [make('span', { className: 'why' }, message, ' ', make('code', {}, code ?? ''))] : []
  const ceiling = maxCostDollars ? ` of at most ${dollars(maxCostDollars)}` : ''
  const cost = costInDollars > 0 || ceiling ? [`${dollars(costInDollars)}${ceiling}`] : []
  return [...problem, ...listing, ...shown, ...cost, ago(createdAt)]
}

/** @param {HTMLProgressElement} bar @param {Batch} batch */
const drawProgress = (bar, { counts: { total, completed, failed, skipped } }) => {
  if (total === null) return bar.removeAttribute('value')
  bar.value = total === 0 ? 1 : (completed + failed + skipped) / total
}

/** @param {Batch} batch @param {BatchActions} handlers @returns {Action[]} */
const actionsOf = (batch, { toggle, cancel, retry }) => {
  const items = { name: 'Items', act: toggle, opens: 'stage' }
  if (!isOver(batch)) return [items, ...(mayCancel() ? [{ name: 'Cancel', act: cancel, away: true }] : [])]
  const { failed, skipped } = batch.counts
  const isRetriable = failed + skipped > 0 && may(batch.kind === 'import' ? 'import' : 'transcribe')
  return [items, ...(isRetriable ? [{ name: 'Retry', act: retry }] : [])]
}

/** The items of a batch as a table. @param {BatchItem[]} items @param {(jobId: string) => void} onShow */
export const itemTable = (items, onShow) => {
  const rows = items.map((item) => cellsOf(item, onShow))
  return makeTable(['', 'Item', 'State', 'Cost', ''], rows)
}

/** @param {BatchItem} item @param {(jobId: string) => void} onShow */
const cellsOf = ({ index, url, title, status, complete, jobId, code, message, costInDollars }, onShow) => {
  const label = { className: 'quiet', ariaLabel: `Show job: ${title || url}` }
  const why = code ? [' ', make('code', { title: message ?? '' }, code)] : []
  return [
    make('td', {}, `${index + 1}`),
    make('td', { title: url }, title || placeOf(url)),
    make('td', {}, complete === false ? 'completed, some files failed' : status, ...why),
    make('td', {}, costInDollars === null ? '' : price(costInDollars)),
    make('td', {}, ...(jobId ? [makeButton('Show job', () => onShow(jobId), label)] : [])),
  ]
}
