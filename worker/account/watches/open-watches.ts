import { nextPollAt, type Polled } from '../../../domain/watches/schedule.ts'
import type { AccountRows } from '../account-rows.ts'
import type { BatchRow } from '../batches/batch-rows.ts'
import { type ApiKey, maySee } from '../keys/key-rows.ts'
import { isPolled, neverPolled, type PollTimes, spentThisMonth, type WatchRow, watchTable } from './watch-rows.ts'

export const allWatches = ({ sql, watches }: AccountRows): WatchRow[] => {
  watches.write()
  return watchTable.select(sql, 'ORDER BY id')
}

/** To be changed. */
export const openWatches = (rows: AccountRows, isWanted: (watch: WatchRow) => boolean): WatchRow[] =>
  allWatches(rows)
    .filter(isWanted)
    .flatMap(({ id }) => rows.watches.find(id) ?? [])

/** null: there is none, or the key may not see it. */
export const seenWatch = (rows: AccountRows, key: ApiKey, watchId: string): WatchRow | null => {
  const watch = rows.watches.find(watchId)
  return watch && maySee(key, watch) ? watch : null
}

export const pollTimesOf = ({ account }: AccountRows, watchId: string): PollTimes =>
  account.polls[watchId] ?? neverPolled

export const changePollTimes = (rows: AccountRows, watchId: string, changes: Partial<PollTimes>): void => {
  const { account } = rows
  account.polls = { ...account.polls, [watchId]: { ...pollTimesOf(rows, watchId), ...changes } }
}

export const polledOf = (rows: AccountRows, { id, settings, source, failing }: WatchRow): Polled => {
  const { at, isAsked } = pollTimesOf(rows, id)
  const { everyMinutes } = settings
  return { id, everyMinutes, source, lastPollAt: at, isAsked, retryAt: failing?.retryAt ?? null }
}

/** null: its list is not read any more. */
export const pollDueAt = (rows: AccountRows, watch: WatchRow, now: number): number | null =>
  isPolled(watch) ? Math.max(nextPollAt(polledOf(rows, watch), now), pollTimesOf(rows, watch.id).takenUntil) : null

/** The watch that made the batch. null: none did, or it is gone. */
export const watchOf = (rows: AccountRows, { request: { watchId } }: BatchRow): WatchRow | null =>
  watchId === undefined ? null : rows.watches.find(watchId)

/** What its charges and open holds may still be in this month. null: the batch is of no watch, or the watch is gone. */
export const leftOfMonth = (rows: AccountRows, batch: BatchRow, now: number): number | null => {
  const watch = watchOf(rows, batch)
  if (!watch) return null
  const { maxCostMicros } = watch.settings
  return maxCostMicros === null ? Number.POSITIVE_INFINITY : maxCostMicros - spentThisMonth(watch, now)
}
