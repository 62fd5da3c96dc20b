import { nextMonthAt } from '../../../domain/account/keys.ts'
import { isPauseOfMoney, type MoneyPause, type PauseCode } from '../../../domain/watches/watch.ts'
import type { AccountRows } from '../account-rows.ts'
import { schedule } from '../due/due-rows.ts'
import { isLive } from '../keys/key-rows.ts'
import { changeItem, untoldItems } from './item-rows.ts'
import { openWatches } from './open-watches.ts'
import { tellItem, tellWatch } from './watch-events.ts'
import type { WatchRow } from './watch-rows.ts'

/** A pause of its caller, or one that only its caller can end, stays. */
export const pauseWatch = (rows: AccountRows, watch: WatchRow, code: PauseCode | null, now: number): void => {
  if (code !== null && watch.pause && !isPauseOfMoney(watch.pause.code)) return
  const isEndedByTime = code === 'MAX_COST_EXCEEDED' || code === 'KEY_BUDGET_EXCEEDED'
  const until = isEndedByTime ? nextMonthAt(now) : null
  const isNew = watch.pause?.code !== code || watch.pause === null
  watch.pause = { code, until }
  if (until !== null) schedule(rows.sql, 'watch', watch.id, until)
  if (isNew) tellWatch(rows, watch, 'watch.paused', now)
}

/** What waited for the end of the pause is told now, unless it was dropped. */
export const resumeWatch = (rows: AccountRows, watch: WatchRow, now: number): void => {
  if (!watch.pause) return
  watch.pause = null
  schedule(rows.sql, 'watch', watch.id, now)
  tellWatch(rows, watch, 'watch.resumed', now)
  for (const item of untoldItems(rows.sql, watch.id)) {
    changeItem(rows.sql, item, { isTold: true, ...(watch.settings.item ? {} : { state: 'told' as const }) })
    tellItem(rows, watch, item, now)
  }
}

/** Ends a pause whose time has come. */
export const endPause = (rows: AccountRows, watch: WatchRow, now: number): void => {
  const { until = null } = watch.pause ?? {}
  if (until !== null && until <= now) resumeWatch(rows, watch, now)
}

/** Called when what was missing may be there again. `keyId`: only for watches of this key. */
export const endPausesOf = (rows: AccountRows, code: MoneyPause, now: number, keyId: string | null = null): void => {
  const isPaused = (watch: WatchRow) => watch.pause?.code === code && (keyId === null || watch.keyId === keyId)
  for (const watch of openWatches(rows, isPaused)) resumeWatch(rows, watch, now)
}

/** Its watches wait until another key takes them over. */
export const pauseWatchesOf = (rows: AccountRows, keyId: string, now: number): void => {
  for (const watch of openWatches(rows, (watch) => watch.keyId === keyId)) pauseWatch(rows, watch, 'KEY_REMOVED', now)
}

/** False: the key was removed, or has expired, and the watch is paused now. */
export const hasKey = (rows: AccountRows, watch: WatchRow, now: number): boolean => {
  const key = rows.keys.find(watch.keyId)
  if (key && isLive(key, now)) return true
  pauseWatch(rows, watch, 'KEY_REMOVED', now)
  return false
}
