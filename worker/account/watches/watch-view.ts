import { nextMonthAt } from '../../../domain/account/keys.ts'
import { type Result, refused } from '../../../domain/codes/refusals.ts'
import { pauseCodes, type Watch } from '../../../domain/watches/watch.ts'
import type { AccountRows } from '../account-rows.ts'
import { countWaiting } from './item-rows.ts'
import { pollDueAt, pollTimesOf } from './open-watches.ts'
import { spentThisMonth, type WatchRow } from './watch-rows.ts'

/** The watch as callers see it. */
export const asWatch = (rows: AccountRows, row: WatchRow, now: number): Watch => {
  const { id, url, createdAt, settings, title, source, failing } = row
  const dueAt = pollDueAt(rows, row, now)
  return {
    ...{ id, url, createdAt, settings, title, source, state: stateOf(row), ...reasonOf(row) },
    nextPollAt: dueAt === null ? null : Math.max(dueAt, now),
    lastPollAt: pollTimesOf(rows, id).at,
    failures: failing?.count ?? 0,
    waiting: countWaiting(rows.sql, id),
    spentMicros: spentThisMonth(row, now),
    resetsAt: nextMonthAt(now),
  }
}

const stateOf = ({ pause, failing, reading }: WatchRow): Watch['state'] => {
  if (pause) return 'paused'
  if (failing?.isTold) return 'failing'
  return reading ? 'active' : 'starting'
}

const reasonOf = ({ pause, failing }: WatchRow): Pick<Watch, 'code' | 'message'> => {
  if (pause) return { code: pause.code, message: pause.code && pauseCodes[pause.code] }
  return { code: failing?.code ?? null, message: failing?.message ?? null }
}

export const watchNotFound = (): Result<never> => refused('NOT_FOUND', {}, 'Watch not found.')
