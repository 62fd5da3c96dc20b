import { accepted, type Result, refused } from '../../../domain/codes/refusals.ts'
import { zero } from '../../../domain/money/money.ts'
import { MIN_POLL_MS } from '../../../domain/watches/schedule.ts'
import type { Watch, WatchSettings } from '../../../domain/watches/watch.ts'
import type { AccountRows } from '../account-rows.ts'
import { endWaiting } from '../batches/item-ends.ts'
import type { IdempotencyKey, PageRequest } from '../calls.ts'
import { schedule, unschedule } from '../due/due-rows.ts'
import { isOwn, maySee, mayStop, mayUse, onlyOf, scopeMissing } from '../keys/key-rows.ts'
import { type Requesting, readRequestAct, requestAct } from '../requests/authenticated-request.ts'
import { checkSuspension, rateLimited } from '../requests/limits.ts'
import { idempotencyOf, saveIdempotency, startedEarlier } from '../starts/answers.ts'
import { changeItem, forgetWatchItems, waitingItems } from './item-rows.ts'
import { allWatches, changePollTimes, pollTimesOf, seenWatch } from './open-watches.ts'
import { pauseWatch, resumeWatch } from './pauses.ts'
import { schedulePolls } from './polls.ts'
import { liveOwners } from './watch-items.ts'
import { listWatchRows, type WatchRow } from './watch-rows.ts'
import { asWatch, watchNotFound } from './watch-view.ts'

export interface WatchAdmission {
  /** Chosen by the caller of the account, so that a repeated call finds its watch. */
  watchId: string
  url: string
  settings: WatchSettings
  origin: string | null
  requestId?: string
  idempotency: IdempotencyKey | null
}

export const admitWatch = requestAct((requesting, admission: WatchAdmission): Result<Watch> => {
  const { rows, key, now } = requesting
  const { watchId, url, settings, origin, requestId = null } = admission
  const idempotency = admission.idempotency && idempotencyOf(key, admission.idempotency)
  const earlier = startedEarlier(rows.sql, idempotency, now)
  if (!earlier.ok) return earlier
  const known = rows.watches.find(earlier.value?.jobId ?? watchId)
  if (known) return accepted(asWatch(rows, known, now))
  const refusal = refusalOf(requesting)
  if (refusal) return refusal
  const nothingYet = { title: null, source: null, reading: null, failing: null, pause: null, batchId: null }
  const spending = { month: '', spent: zero }
  const watch = {
    id: watchId,
    url,
    createdAt: now,
    origin,
    requestId,
    keyId: key.id,
    settings,
    spending,
    ...nothingYet,
  }
  rows.watches.add(watch)
  if (idempotency) saveIdempotency(rows.sql, idempotency, { jobId: watchId, isReused: false }, now)
  schedulePolls(rows, now)
  return accepted(asWatch(rows, watch, now))
})

const refusalOf = ({ rows }: Requesting): Result<never> | null => {
  const suspension = checkSuspension(rows)
  if (!suspension.ok) return suspension
  const limit = rows.limits.watches
  if (allWatches(rows).length < limit) return null
  return refused('TOO_MANY_WATCHES', { limit }, `The account has ${limit} watches, as many as it may have.`)
}

export const readWatch = readRequestAct(({ rows, key, now }, watchId: string): Result<Watch> => {
  const watch = seenWatch(rows, key, watchId)
  return watch ? accepted(asWatch(rows, watch, now)) : watchNotFound()
})

export const readWatches = readRequestAct(({ rows, key, now }, { before, limit }: PageRequest) =>
  accepted(listWatchRows(rows.sql, onlyOf(key), before, limit).map((watch) => asWatch(rows, watch, now))),
)

export interface WatchChanges {
  settings: Partial<WatchSettings>
  paused?: boolean | undefined
  dropsWaiting?: boolean | undefined
}

export const changeWatch = requestAct(
  ({ rows, key, now }, watchId: string, { settings, paused, dropsWaiting }: WatchChanges): Result<Watch> => {
    const watch = rows.watches.find(watchId)
    const isOrphan = watch?.pause?.code === 'KEY_REMOVED'
    if (!watch || !(maySee(key, watch) || isOrphan)) return watchNotFound()
    const scope = watch.settings.item?.kind === 'transcription' ? 'transcribe' : 'import'
    if (!mayUse(key, scope)) return scopeMissing(key, scope)
    if (!isOrphan && !mayStop(key, watch)) return scopeMissing(key, 'manage')
    watch.settings = { ...watch.settings, ...settings }
    if (isOrphan && !isOwn(key, watch)) {
      watch.keyId = key.id
      resumeWatch(rows, watch, now)
    }
    if (dropsWaiting) dropWaiting(rows, watch, now)
    if (paused === true) pauseWatch(rows, watch, null, now)
    if (paused === false) {
      // A source that was given up is asked again at once.
      if (watch.pause) watch.failing = null
      resumeWatch(rows, watch, now)
    }
    if (settings.maxCostMicros !== undefined && watch.pause?.code === 'MAX_COST_EXCEEDED') resumeWatch(rows, watch, now)
    schedule(rows.sql, 'watch', watch.id, now)
    schedulePolls(rows, now)
    return accepted(asWatch(rows, watch, now))
  },
)

/** Also those of its open batch that have no job yet. */
const dropWaiting = (rows: AccountRows, watch: WatchRow, now: number): void => {
  const batch = watch.batchId === null ? null : rows.batches.find(watch.batchId)
  const live = new Set(batch ? liveOwners(rows, batch.id) : [])
  for (const item of waitingItems(rows.sql, watch.id)) {
    if (live.has(item.id)) continue
    changeItem(rows.sql, item, { state: 'marked', isTold: true, batchId: null, nextAttemptAt: null, code: null })
  }
  if (batch) endWaiting(rows, batch, 'CANCELED', now)
  if (watch.pause?.code === 'TOO_MANY_NEW') resumeWatch(rows, watch, now)
}

export const pollWatch = requestAct((requesting, watchId: string): Result<Watch> => {
  const { rows, key, endpoint, now } = requesting
  const watch = seenWatch(rows, key, watchId)
  if (!watch) return watchNotFound()
  if (!mayStop(key, watch)) return scopeMissing(key, 'manage')
  if (watch.pause) return refused('WATCH_PAUSED')
  const suspension = checkSuspension(rows)
  if (!suspension.ok) return suspension
  const polledAt = pollTimesOf(rows, watchId).at ?? watch.createdAt
  const again = polledAt + MIN_POLL_MS
  if (polledAt <= now && now < again) {
    const message = 'A watch is polled at most once a minute.'
    return rateLimited({ limit: 1, reset: Math.ceil(again / 1_000) }, endpoint, now, message)
  }
  changePollTimes(rows, watchId, { isAsked: true })
  schedulePolls(rows, now)
  return accepted(asWatch(rows, watch, now))
})

/** Jobs go on. What waits is forgotten. */
export const removeWatch = requestAct(({ rows, key, now }, watchId: string): Result<null> => {
  const watch = seenWatch(rows, key, watchId)
  if (!watch) return watchNotFound()
  if (!mayStop(key, watch)) return scopeMissing(key, 'manage')
  const batch = watch.batchId === null ? null : rows.batches.find(watch.batchId)
  forgetWatch(rows, watchId)
  if (batch && batch.completedAt === null) endWaiting(rows, batch, 'CANCELED', now)
  schedulePolls(rows, now)
  return accepted(null)
})

const forgetWatch = (rows: AccountRows, watchId: string): void => {
  const { [watchId]: _, ...polls } = rows.account.polls
  rows.account.polls = polls
  rows.watches.remove(watchId)
  forgetWatchItems(rows.sql, watchId)
  unschedule(rows.sql, watchId)
  rows.progress.changed(watchId)
}

/** Called at the end of a suspension. */
export const wakeWatches = (rows: AccountRows, now: number): void => {
  for (const { id } of allWatches(rows)) schedule(rows.sql, 'watch', id, now)
  schedulePolls(rows, now)
}
