import { batchTitle, createBatchCard, isBatchOver, itemTable } from './batch-card.js'
import { announce, confirmed, find, make, showError } from './dom.js'
import { backoffMs, pause } from './wait.js'

/** @typedef {import('../types.js').Batch} Batch */
/** @typedef {import('../types.js').BatchItem} BatchItem */
/** @typedef {{batch: Batch, card: ReturnType<typeof createBatchCard>, items: BatchItem[], cursor: string | null}} Entry */

/** The account's events tell of jobs and of the ends of batches, but not of a list that was read or of an item without a job. */
const POLL_MS = 10_000
const PAGE = 50

const section = find('#batches-section', HTMLElement)
const list = find('#batches', HTMLOListElement)
const problem = find('#batches-problem', HTMLElement)
const more = find('#more-batches', HTMLButtonElement)

/**
 * The list of batches, newest first. Each that has not ended is polled.
 * @param {import('./api.js').Client} api
 * @param {{signal: AbortSignal, newKey: () => string, onEnd: () => void, onShowJob: (jobId: string) => void}} handlers
 */
export const createBatches = (api, { signal, newKey, onEnd, onShowJob }) => {
  /** @type {Map<string, Entry>} */
  const entries = new Map()
  /** @type {string | null} */
  let nextCursor = null

  /** @param {() => Promise<unknown>} work */
  const during = async (work) => {
    showError(problem)
    await work().catch((error) => signal.aborted || showError(problem, error))
  }

  /** @param {Entry} entry @param {Batch} batch */
  const update = (entry, batch) => {
    const wasOver = isBatchOver(entry.batch)
    const isChanged = JSON.stringify(entry.batch.counts) !== JSON.stringify(batch.counts)
    entry.batch = batch
    entry.card.draw(batch)
    if (isChanged && !entry.card.stage.hidden) during(() => showItems(entry))
    if (wasOver || !isBatchOver(batch)) return
    announce(`${batchTitle(batch)}: ${batch.counts.completed} done, ${batch.counts.failed} failed.`)
    onEnd()
  }

  /** @param {Entry} entry */
  const follow = async (entry) => {
    let failures = 0
    while (!isBatchOver(entry.batch) && !signal.aborted && entries.has(entry.batch.batchId)) {
      await pause(POLL_MS, signal)
      try {
        if (!isBatchOver(entry.batch)) update(entry, await api.get(`/batches/${entry.batch.batchId}`, signal))
        failures = 0
      } catch (error) {
        await pause(backoffMs(error, failures++), signal)
      }
    }
  }

  /**
   * Reads as many pages as are shown already, and one more if `isMore`.
   * @param {Entry} entry
   * @param {boolean} [isMore]
   */
  const showItems = async (entry, isMore = false) => {
    const wanted = Math.max(PAGE, entry.items.length + (isMore ? PAGE : 0))
    /** @type {BatchItem[]} */
    const items = []
    /** @type {string | null} */
    let cursor = null
    do {
      const query = `limit=${PAGE}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`
      const page = await api.get(`/batches/${entry.batch.batchId}/items?${query}`, signal)
      items.push(...page.items)
      cursor = page.nextCursor
    } while (cursor !== null && items.length < wanted)
    entry.items = items
    const next = make('button', { type: 'button', className: 'more' }, 'Show more items')
    next.addEventListener('click', () => during(() => showItems(entry, true)))
    const table = make('div', { className: 'scroll' }, itemTable(items, onShowJob))
    entry.card.stage.replaceChildren(table, ...(cursor === null ? [] : [next]))
  }

  /** @param {Entry} entry */
  const toggle = async (entry) => {
    const { stage, element } = entry.card
    stage.hidden = !stage.hidden
    element.querySelector('[aria-expanded]')?.setAttribute('aria-expanded', `${!stage.hidden}`)
    if (!stage.hidden) await showItems(entry)
  }

  /** @param {Entry} entry */
  const cancel = async (entry) => {
    const text = 'Items that have not ended are canceled. What has completed stays, and was charged.'
    if (!(await confirmed({ title: 'Cancel this batch?', text, yes: 'Cancel the batch' }))) return
    update(entry, await api.remove(`/batches/${entry.batch.batchId}`))
  }

  /** @param {Entry} entry */
  const retry = async (entry) => {
    const { batchId } = await api.post(`/batches/${entry.batch.batchId}/retry`, {}, newKey())
    add(await api.get(`/batches/${batchId}`, signal), 'prepend')
  }

  /** @param {Batch} batch @param {'prepend' | 'append'} where */
  const add = (batch, where) => {
    const known = entries.get(batch.batchId)
    if (known) return update(known, batch)
    const card = createBatchCard({
      toggle: () => during(() => toggle(entry)),
      cancel: () => during(() => cancel(entry)),
      retry: () => during(() => retry(entry)),
    })
    /** @type {Entry} */
    const entry = { batch, card, items: [], cursor: null }
    card.element.dataset.batch = batch.batchId
    card.draw(batch)
    entries.set(batch.batchId, entry)
    list[where](card.element)
    section.hidden = false
    follow(entry)
  }

  /** @param {string | null} cursor */
  const load = async (cursor) => {
    const page = await api.get(`/batches${cursor ? `?cursor=${encodeURIComponent(cursor)}` : ''}`, signal)
    nextCursor = page.nextCursor
    more.hidden = nextCursor === null
    for (const batch of page.batches) add(batch, 'append')
  }

  /** The newest batches: some may be new, and others may have changed. */
  const refresh = async () => {
    const { batches } = await api.get('/batches', signal)
    for (const batch of batches.reverse()) add(batch, 'prepend')
  }

  more.addEventListener('click', () => during(() => load(nextCursor)))
  return {
    refresh: () => during(refresh),
    load: () => during(() => load(null)),
    /** @param {string} batchId */
    started: (batchId) =>
      during(async () => {
        add(await api.get(`/batches/${batchId}`, signal), 'prepend')
        announce('The batch is queued.')
      }),
  }
}
