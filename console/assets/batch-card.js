import { find, make } from './dom.js'
import { ago, dollars, hostOf } from './format.js'

/** @typedef {import('../types.js').Batch} Batch */
/** @typedef {import('../types.js').BatchItem} BatchItem */
/** @typedef {{toggle: () => void, cancel: () => void, retry: () => void}} BatchActions */

const states = {
  queued: 'Queued',
  running: 'Running',
  completed: 'Completed',
  canceled: 'Canceled',
  failed: 'Failed',
}

/** @param {Batch} batch */
export const isBatchOver = ({ status }) => status !== 'queued' && status !== 'running'

/** @param {Batch} batch */
export const batchTitle = ({ title, kind, counts }) => {
  const what = kind === 'import' ? 'imports' : 'transcriptions'
  return title || (counts.total === null ? `A playlist of ${what}` : `${counts.total} ${what}`)
}

/**
 * One batch in the list, updated in place.
 * @param {BatchActions} handlers
 */
export const createBatchCard = (handlers) => {
  const template = find('#batch-card', HTMLTemplateElement)
  const element = find('li', HTMLLIElement, /** @type {DocumentFragment} */ (template.content.cloneNode(true)))
  const part = (/** @type {string} */ selector) => find(selector, HTMLElement, element)
  let drawn = ''
  return {
    element,
    stage: part('.batch-stage'),
    /** @param {Batch} batch */
    draw: (batch) => {
      element.toggleAttribute('data-live', !isBatchOver(batch))
      part('.batch-title').textContent = batchTitle(batch)
      part('.batch-state').textContent = states[batch.status]
      part('.batch-state').dataset.state = states[batch.status]
      part('.batch-facts').replaceChildren(...factsOf(batch).map((fact) => make('span', {}, fact)))
      drawProgress(find('progress', HTMLProgressElement, element), batch)
      const names = actionsOf(batch, handlers).map(({ name }) => name)
      if (names.join() !== drawn) part('.batch-actions').replaceChildren(...actionsOf(batch, handlers).map(button))
      drawn = names.join()
      for (const each of part('.batch-actions').querySelectorAll('button'))
        each.setAttribute('aria-label', `${each.textContent}: ${batchTitle(batch)}`)
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
  const cost = `${dollars(costInDollars)}${maxCostDollars ? ` of at most ${dollars(maxCostDollars)}` : ''}`
  return [...problem, ...listing, ...shown, cost, ago(createdAt)]
}

/** @param {HTMLProgressElement} bar @param {Batch} batch */
const drawProgress = (bar, { counts: { total, completed, failed, skipped } }) => {
  if (total === null) return bar.removeAttribute('value')
  bar.value = total === 0 ? 1 : (completed + failed + skipped) / total
}

/** @typedef {{name: string, act: () => void, expands?: boolean, away?: boolean}} Action */

/** @param {Batch} batch @param {BatchActions} handlers @returns {Action[]} */
const actionsOf = (batch, { toggle, cancel, retry }) => {
  const items = { name: 'Items', act: toggle, expands: true }
  if (!isBatchOver(batch)) return [items, { name: 'Cancel', act: cancel, away: true }]
  const { failed, skipped } = batch.counts
  return [items, ...(failed + skipped > 0 ? [{ name: 'Retry', act: retry }] : [])]
}

/** @param {Action} action */
const button = ({ name, act, expands = false, away = false }) => {
  const made = make('button', { type: 'button', className: away ? 'away' : '' }, name)
  if (expands) made.setAttribute('aria-expanded', 'false')
  made.addEventListener('click', act)
  return made
}

/**
 * The items of a batch as a table.
 * @param {BatchItem[]} items
 * @param {(jobId: string) => void} onShow
 */
export const itemTable = (items, onShow) => {
  const head = ['', 'Item', 'State', 'Cost', ''].map((name) => make('th', { scope: 'col' }, name))
  const rows = items.map((item) => make('tr', {}, ...cellsOf(item, onShow)))
  return make('table', {}, make('thead', {}, make('tr', {}, ...head)), make('tbody', {}, ...rows))
}

/** @param {BatchItem} item @param {(jobId: string) => void} onShow */
const cellsOf = ({ index, url, title, status, jobId, code, message, costInDollars }, onShow) => {
  const show = make('button', { type: 'button', className: 'quiet' }, 'Show job')
  show.setAttribute('aria-label', `Show job: ${title || url}`)
  show.addEventListener('click', () => jobId && onShow(jobId))
  const why = code ? [' ', make('code', { title: message ?? '' }, code)] : []
  return [
    make('td', {}, `${index + 1}`),
    make('td', { title: url }, title || `${hostOf(url)}${URL.parse(url)?.pathname ?? ''}`),
    make('td', {}, status, ...why),
    make('td', {}, costInDollars === null ? '' : dollars(costInDollars)),
    make('td', {}, ...(jobId ? [show] : [])),
  ]
}
