import { MINUTE_MS } from '../../../domain/time.ts'
import { earlyMs, UNCONDITIONAL_MS } from '../../../domain/watches/schedule.ts'
import type { AccountRows } from '../account-rows.ts'
import { act } from '../acts.ts'
import type { Again, DueContext } from '../due/due.ts'
import { dueAt, schedule, unschedule } from '../due/due-rows.ts'
import { poolOf } from '../keys/key-rows.ts'
import { freeWorkAgainAt } from '../requests/free-work.ts'
import { changeItem, nextUnmeasuredAt, unmeasuredItems } from './item-rows.ts'
import { allWatches, changePollTimes, openWatches, pollDueAt, polledOf, pollTimesOf } from './open-watches.ts'
import { hasKey } from './pauses.ts'
import { endFailures, failPoll, type PollFailure } from './poll-failures.ts'
import type { WatchRow } from './watch-rows.ts'

/**
 * A round of polls is one message. The Worker that gets it claims what is due, asks each source whether its list has changed,
 * has an engine read those that have, and reports. What it does not report by `takenUntil` is due again.
 */

/** A round asks feeds for seconds, and engines for a minute or two. */
const TAKEN_MS = 5 * MINUTE_MS
const WATCHES_AT_ONCE = 50
const ITEMS_AT_ONCE = 20

export interface PollTask {
  watchId: string
  /** Only the first report under it counts. */
  takenUntil: number
  url: string
  /** null: the page is read, or what the URL is has to be found out. */
  feedUrl: string | null
  etag: string | null
  lastModified: string | null
  digest: string | null
  isConditional: boolean
  /** How long no engine may read the list, because the account has used up its free work. */
  unreadForMs: number
}

export interface MeasureTask {
  watchId: string
  itemId: string
  url: string
}

export interface Round {
  polls: PollTask[]
  items: MeasureTask[]
}

export const sendPolls = async ({ rows, targets }: DueContext): Promise<Again> => {
  const at = nextRoundAt(rows, Date.now())
  if (at === null) return
  if (at > Date.now()) return at
  await targets.sendPolls(rows.account.id)
  return Date.now() + TAKEN_MS
}

export const claimPolls = act(({ rows, now }): Round => {
  if (rows.account.isSuspended) return { polls: [], items: [] }
  const due = openWatches(rows, (watch) => isDue(rows, watch, now)).filter((watch) => hasKey(rows, watch, now))
  const polls = due.slice(0, WATCHES_AT_ONCE).map((watch) => taskOf(rows, watch, now))
  const unmeasured = unmeasuredItems(rows.sql, now, ITEMS_AT_ONCE)
  for (const item of unmeasured) changeItem(rows.sql, item, { nextAttemptAt: now + TAKEN_MS })
  const items = unmeasured.map(({ watchId, id: itemId, url }) => ({ watchId, itemId, url }))
  if (polls.length + items.length === 0) schedulePolls(rows, now)
  return { polls, items }
})

/** Those that are due a little later come with this round. */
const isDue = (rows: AccountRows, watch: WatchRow, now: number): boolean => {
  const at = pollDueAt(rows, watch, now)
  return at !== null && at <= now + earlyMs(polledOf(rows, watch)) && pollTimesOf(rows, watch.id).takenUntil <= now
}

const taskOf = (rows: AccountRows, watch: WatchRow, now: number): PollTask => {
  const { id: watchId, url, reading, keyId } = watch
  const takenUntil = now + TAKEN_MS
  changePollTimes(rows, watchId, { takenUntil })
  const { feedUrl = null, etag = null, lastModified = null, digest = null } = reading ?? {}
  const again = freeWorkAgainAt(rows, poolOf(rows.keys.find(keyId)), 'lists') ?? now
  return {
    ...{ watchId, takenUntil, url, feedUrl, etag, lastModified, digest },
    isConditional: now - pollTimesOf(rows, watchId).fullAt < UNCONDITIONAL_MS,
    unreadForMs: Math.max(0, again - now),
  }
}

export type PollReport = Pick<PollTask, 'watchId' | 'takenUntil'> &
  (
    | { kind: 'unchanged'; wasConditional: boolean; etag?: string | null; lastModified?: string | null }
    | ({ kind: 'failed' } & PollFailure)
    /** It was not read, because there was no engine or no free work. */
    | { kind: 'later'; delayMs: number }
  )

/** All that a round has found apart from lists, in one transaction. */
export const reportPolls = act(({ rows, now }, reports: PollReport[]): void => {
  for (const report of reports) {
    const watch = takenWatch(rows, report)
    if (!watch) continue
    if (report.kind === 'failed') failPoll(rows, watch, report, now)
    else if (report.kind === 'later') changePollTimes(rows, watch.id, { takenUntil: now + report.delayMs })
    else noteUnchanged(rows, watch, report, now)
  }
  schedulePolls(rows, now)
})

const noteUnchanged = (
  rows: AccountRows,
  watch: WatchRow,
  { wasConditional, etag, lastModified }: Extract<PollReport, { kind: 'unchanged' }>,
  now: number,
): void => {
  notePoll(rows, watch, now, { wasConditional })
  const { reading } = watch
  if (reading && etag !== undefined && lastModified !== undefined) watch.reading = { ...reading, etag, lastModified }
}

/** null: the watch is gone, or another round has taken it since. */
export const takenWatch = (
  rows: AccountRows,
  { watchId, takenUntil }: Pick<PollTask, 'watchId' | 'takenUntil'>,
): WatchRow | null => {
  const watch = rows.watches.find(watchId)
  return watch && pollTimesOf(rows, watchId).takenUntil === takenUntil ? watch : null
}

export const notePoll = (
  rows: AccountRows,
  watch: WatchRow,
  now: number,
  { wasConditional }: { wasConditional: boolean },
): void => {
  const fullAt = wasConditional ? pollTimesOf(rows, watch.id).fullAt : now
  changePollTimes(rows, watch.id, { at: now, fullAt, isAsked: false, takenUntil: 0 })
  endFailures(rows, watch, now)
}

/** One row of what is due serves all watches. Called by every act that changes when one is polled. */
export const schedulePolls = (rows: AccountRows, now: number): void => {
  const at = nextRoundAt(rows, now)
  if (at === dueAt(rows.sql, 'polls')) return
  if (at === null) unschedule(rows.sql, 'polls')
  else schedule(rows.sql, 'polls', 'polls', at)
}

/** null: nothing is polled. */
const nextRoundAt = (rows: AccountRows, now: number): number | null => {
  if (rows.account.isSuspended) return null
  const times = allWatches(rows).flatMap((watch) => pollDueAt(rows, watch, now) ?? [])
  const unmeasuredAt = nextUnmeasuredAt(rows.sql)
  if (unmeasuredAt !== null) times.push(unmeasuredAt)
  return times.length === 0 ? null : Math.max(now, Math.min(...times))
}
