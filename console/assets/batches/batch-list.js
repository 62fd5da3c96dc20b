import { createCardList } from '../cards.js'
import { announce, confirmed, find, makeButton } from '../dom.js'
import { followToEnd, isOver } from '../follow.js'
import { followBatch } from '../haul-client.js'
import { batchTitle, createBatchCard, itemTable } from './batch-card.js'

/** @import { Batch } from '../../types.js' */
/** @typedef {{batch: Batch, card: ReturnType<typeof createBatchCard>, shownItems: number}} Entry */

const PAGE = 50

/**
 * The list of batches, newest first. Each is followed until it ends.
 * @param {import('../account/api.js').Api} api
 * @param {{signal: AbortSignal, onEnd: () => void, onShowJob: (jobId: string) => void}} handlers
 */
export const createBatches = (api, { signal, onEnd, onShowJob }) => {
  /** @param {Entry} entry @param {Batch} batch */
  const update = (entry, batch) => {
    const wasOver = isOver(entry.batch)
    // A list that was read again may be older than the card.
    if (wasOver && !isOver(batch)) return
    const isChanged = JSON.stringify(entry.batch.counts) !== JSON.stringify(batch.counts)
    entry.batch = batch
    entry.card.draw(batch)
    if (isChanged && entry.card.isOpen()) during(() => showItems(entry))
    if (wasOver || !isOver(batch)) return
    announce(`${batchTitle(batch)}: ${batch.counts.completed} done, ${batch.counts.failed} failed.`)
    onEnd()
  }

  /** @param {Entry} entry */
  const follow = (entry) => {
    const report = (/** @type {Batch} */ batch) => update(entry, batch)
    const { batchId: id } = entry.batch
    const followed = { path: 'batches', id, follow: followBatch, isOver: () => isOver(entry.batch), report }
    return followToEnd(api, followed, signal)
  }

  /** Reads as many items as are shown already, and one page more if `isMore`. @param {Entry} entry @param {boolean} [isMore] */
  const showItems = async (entry, isMore = false) => {
    const wanted = Math.max(PAGE, entry.shownItems + (isMore ? PAGE : 0))
    const found = await Array.fromAsync(api.batches.items(entry.batch.batchId, { limit: wanted + 1, signal }))
    const items = found.slice(0, wanted)
    entry.shownItems = items.length
    const next = makeButton('Show more items', () => during(() => showItems(entry, true)), { className: 'more' })
    entry.card.stage.replaceChildren(itemTable(items, onShowJob), ...(found.length > wanted ? [next] : []))
  }

  /** @type {(batch: Batch) => Entry} */
  const create = (batch) => {
    const toggle = async () => {
      card.open(!card.isOpen())
      if (card.isOpen()) await showItems(entry)
    }
    const cancel = async () => {
      const text = 'Items that have not ended are canceled. What has completed stays, and was charged.'
      if (!(await confirmed({ title: 'Cancel this batch?', text, yes: 'Cancel the batch' }))) return
      update(entry, await api.batches.cancel(batch.batchId))
    }
    const retry = async () => {
      const { batchId } = await api.batches.retry(batch.batchId)
      add(await api.batches.get(batchId, { signal }))
    }
    const card = createBatchCard({
      toggle: () => during(toggle),
      cancel: () => during(cancel),
      retry: () => during(retry),
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
