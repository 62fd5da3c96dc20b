import { FAILING_AFTER, MAX_FAILING_MS, retryPollAt } from '../../../domain/watches/schedule.ts'
import type { AccountRows } from '../account-rows.ts'
import { changePollTimes, polledOf } from './open-watches.ts'
import { pauseWatch } from './pauses.ts'
import { tellWatch } from './watch-events.ts'
import type { WatchRow } from './watch-rows.ts'

export interface PollFailure {
  code: string
  message: string
  retryAfterMs: number | null
  /** What was read is no list, so the watch is failing at once. */
  isNoList: boolean
  /** 410: the source does not come back. */
  isGone: boolean
}

export const failPoll = (
  rows: AccountRows,
  watch: WatchRow,
  { code, message, retryAfterMs, isNoList, isGone }: PollFailure,
  now: number,
): void => {
  const { count: before = 0, since = now, isTold = false } = watch.failing ?? {}
  const count = before + 1
  const isFailing = isNoList || count >= FAILING_AFTER
  changePollTimes(rows, watch.id, { at: now, isAsked: false, takenUntil: 0 })
  const retryAt = retryPollAt(polledOf(rows, watch), count, retryAfterMs, now)
  watch.failing = { count, since, retryAt, code, message, isTold: isTold || isFailing }
  if (isGone) pauseWatch(rows, watch, 'SOURCE_GONE', now)
  else if (now - since >= MAX_FAILING_MS) pauseWatch(rows, watch, 'SOURCE_FAILED', now)
  else if (isFailing && !isTold) tellWatch(rows, watch, 'watch.failing', now)
}

export const endFailures = (rows: AccountRows, watch: WatchRow, now: number): void => {
  const { failing } = watch
  if (!failing) return
  watch.failing = null
  if (failing.isTold && !watch.pause) tellWatch(rows, watch, 'watch.resumed', now)
}
