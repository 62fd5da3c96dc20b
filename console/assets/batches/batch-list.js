import { createCardList } from '../cards.js'
import { announce, confirmed, find, makeButton } from '../dom.js'
import { pause } from '../haul-client.js'
import { batchTitle, createBatchCard, isBatchOver, itemTable } from './batch-card.js'

/** @import { Batch, BatchItem } from '../../types.js' */
/** @typedef {{batch: Batch, card: ReturnType<typeof createBatchCard>, shownItems: number}} Entry */

/** The account's events tell of jobs and of the ends of batches, but not of a list that was read or of an item without a job. */
const POLL_MS = 10_000
const PAGE = 50

/**
 * The list of batches, newest first. Each that has not ended is polled.
 * @param {import('../account/api.js').Api} api
 * @param {{signal: AbortSignal, onEnd: () => void, onShowJob: (jobId: string) => void}} handlers
 */
export const createBatches = (api, { signal, onEnd, onShowJob }) => {
  /** @param {Entry} entry @param {Batch} batch */
  const update = (entry, batch) => {
    const wasOver = isBatchOver(entry.batch)
    const isChanged = JSON.stringify(entry.batch.counts) !== JSON.stringify(batch.counts)
    entry.batch = batch
    entry.card.draw(batch)
    if (isChanged && entry.card.isOpen()) during(() => showItems(entry))
    if (wasOver || !isBatchOver(batch)) return
    announce(`${batchTitle(batch)}: ${batch.counts.completed} done, ${batch.counts.failed} failed.`)
    onEnd()
  }

  /** @param {Entry} entry */
  const follow = async (entry) => {
    while (!isBatchOver(entry.batch)) {
      await pause(POLL_MS, signal)
      const path = `/batches/${entry.batch.batchId}`
      if (!isBatchOver(entry.batch)) update(entry, await api.following.json({ signal }, { path }))
    }
  }

  /**
   * Reads as many pages as are shown already, and one more if `isMore`.
   * @param {Entry} entry
   * @param {boolean} [isMore]
   */
  const showItems = async (entry, isMore = false) => {
    const wanted = Math.max(PAGE, entry.shownItems + (isMore ? PAGE : 0))
    const { items, hasMore } = await readItems(api, entry.batch.batchId, wanted, signal)
    entry.shownItems = items.length
    const next = makeButton('Show more items', () => during(() => showItems(entry, true)), { className: 'more' })
    entry.card.stage.replaceChildren(itemTable(items, onShowJob), ...(hasMore ? [next] : []))
  }

  /** @param {Entry} entry */
  const toggle = async (entry) => {
    entry.card.open(!entry.card.isOpen())
    if (entry.card.isOpen()) await showItems(entry)
  }

  /** @param {Entry} entry */
  const cancel = async (entry) => {
    const text = 'Items that have not ended are canceled. What has completed stays, and was charged.'
    if (!(await confirmed({ title: 'Cancel this batch?', text, yes: 'Cancel the batch' }))) return
    update(entry, await api.batches.cancel(entry.batch.batchId))
  }

  /** @param {Entry} entry */
  const retry = async (entry) => {
    const { batchId } = await api.batches.retry(entry.batch.batchId)
    add(await api.batches.get(batchId, { signal }))
  }

  /** @type {(batch: Batch) => Entry} */
  const create = (batch) => {
    const card = createBatchCard({
      toggle: () => during(() => toggle(entry)),
      cancel: () => during(() => cancel(entry)),
      retry: () => during(() => retry(entry)),
    })
    const entry = { batch, card, shownItems: 0 }
    card.element.dataset.batch = batch.batchId
    card.draw(batch)
    return entry
  }

  /** @param {Entry} entry */
  const onAdd = (entry) => {
    find('#batches-section', HTMLElement).hidden = false
    follow(entry).catch(() => {
      // It is gone, or the key was withdrawn.
    })
  }

  /** @type {(item: Batch) => string} */
  const idOf = ({ batchId }) => batchId
  const { add, during, load } = createCardList(api, { name: 'batches', signal, idOf, create, onAdd, update })

  return {
    load: () => during(load),
    /** @param {string} batchId */
    started: (batchId) =>
      during(async () => {
        add(await api.batches.get(batchId, { signal }))
        announce('The batch is queued.')
      }),
  }
}

/**
 * Items of a batch from the first on, by pages, until there are as many as wanted.
 * @param {import('../account/api.js').Api} api
 * @param {string} batchId
 * @param {number} wanted
 * @param {AbortSignal} signal
 */
const readItems = async (api, batchId, wanted, signal) => {
  /** @type {BatchItem[]} */
  const items = []
  for await (const item of api.batches.items(batchId, { limit: wanted + 1, signal })) items.push(item)
  return { items: items.slice(0, wanted), hasMore: items.length > wanted }
}
