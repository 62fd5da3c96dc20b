import { accepted, type Result } from '../../../domain/codes/refusals.ts'
import type { WatchItem, WatchItemState } from '../../../domain/watches/watch.ts'
import type { AccountRows } from '../account-rows.ts'
import { ownerOfItem } from '../batches/item-rows.ts'
import { liveItems } from '../batches/live-items.ts'
import type { PageRequest } from '../calls.ts'
import type { JobRow } from '../jobs/job-rows.ts'
import { readRequestAct } from '../requests/authenticated-request.ts'
import { findItem, type KeptState, listWatchItems, type WatchItemRow } from './item-rows.ts'
import { seenWatch } from './open-watches.ts'
import { watchNotFound } from './watch-view.ts'

const keptStates: Record<Exclude<WatchItemState, 'queued' | 'running'>, readonly KeptState[]> = {
  marked: ['marked'],
  filtered: ['filtered'],
  told: ['told'],
  waiting: ['unmeasured', 'waiting'],
  completed: ['completed'],
  failed: ['failed'],
}

/** In its row, an item whose job is live waits. Its job says how it stands. */
export const readWatchItems = readRequestAct(
  ({ rows, key }, watchId: string, state: WatchItemState | null, page: PageRequest): Result<WatchItem[]> => {
    const watch = seenWatch(rows, key, watchId)
    if (!watch) return watchNotFound()
    const live = watch.batchId === null ? new Map<string, JobRow>() : jobsOf(rows, watch.batchId)
    const shown = (item: WatchItemRow): WatchItem => {
      const job = live.get(item.id)
      return { ...itemOf(item), ...(job && { state: job.state as WatchItemState, jobId: job.id }) }
    }
    if (state === 'queued' || state === 'running') {
      const ids = [...live.keys()]
        .filter((id) => page.before === null || id < page.before)
        .sort()
        .reverse()
      const items = ids.flatMap((id) => findItem(rows.sql, watchId, id) ?? []).map(shown)
      return accepted(items.filter((item) => item.state === state).slice(0, page.limit))
    }
    const states = state && keptStates[state]
    const items = listWatchItems(rows.sql, watchId, states, page.before, page.limit + live.size).map(shown)
    return accepted(items.filter((item) => state === null || item.state === state).slice(0, page.limit))
  },
)

/** The items of a watch whose jobs are live. */
export const liveOwners = (rows: AccountRows, batchId: string): string[] => [...jobsOf(rows, batchId).keys()]

const jobsOf = (rows: AccountRows, batchId: string): Map<string, JobRow> =>
  new Map(
    liveItems(rows, batchId).flatMap((job) => {
      const owner = job.batch ? ownerOfItem(rows.sql, batchId, job.batch.index) : null
      return owner === null ? [] : [[owner, job]]
    }),
  )

const itemOf = ({ state, ...item }: WatchItemRow): WatchItem => {
  const { id, url, title, publishedAt, seconds, jobId, attempts, nextAttemptAt, code, costMicros } = item
  const about = { id, url, title, publishedAt, seconds, jobId, attempts, code, costMicros }
  return state === 'unmeasured'
    ? { ...about, state: 'waiting', nextAttemptAt: null }
    : { ...about, state, nextAttemptAt }
}
