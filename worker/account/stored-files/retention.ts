import { MAX_CONCURRENT_JOBS } from '../../../domain/account/account-limits.ts'
import { latest, newId, positionOf } from '../../../domain/ids.ts'
import { JOB_DEADLINE_MS, RETENTION_DAYS } from '../../../domain/limits.ts'
import { mediaKeysOf } from '../../../domain/media/media-keys.ts'
import { DAY_MS, HOUR_MS } from '../../../domain/time.ts'
import { firstValue } from '../../sqlite.ts'
import type { AccountRow } from '../account-row.ts'
import type { AccountRows } from '../account-rows.ts'
import { oldestBatchAt, removeBatches } from '../batches/batch-rows.ts'
import { changeLists } from '../due/due-rows.ts'
import { removeOldEvents } from '../events/event-rows.ts'
import { rollUpMonths } from '../holds-and-ledger.ts'
import { jobTable } from '../jobs/job-rows.ts'
import { updateIndex } from '../search/index-work.ts'
import { hasWordsToFind } from '../search/words-to-find.ts'
import { forgetAnswers } from '../starts/answers.ts'
import { discardStored, neededFiles } from './needed-files.ts'

/**
 * The media of an import is stored as long as the deployment said when it was accepted. The account has a period for
 * each number of days that it has seen: the imports between two ids.
 */
export const keepRetention = ({ account, sql, terms }: AccountRows, importId: string): void => {
  const days = account.retention.at(-1)?.days ?? RETENTION_DAYS
  if (days === terms.retentionDays) return
  // Ids are made before imports are accepted, so one with a later id may have been accepted before.
  const newest = firstValue<string>(sql, "SELECT max(id) FROM jobs WHERE id >= 'imp_' AND id < 'imp_~'")
  const last = newest === null ? '' : `${positionOf(newest)}~`
  const from = latest(positionOf(importId), last)
  account.retention = [...account.retention, { from, days: terms.retentionDays }]
}

/** In the order of time, each until the next one. */
export const periodsOf = ({ retention }: AccountRow) =>
  [{ from: '', days: RETENTION_DAYS }, ...retention].map(({ from, days }, index) => ({
    fromId: `imp_${from}`,
    untilId: `imp_${retention[index]?.from ?? '~'}`,
    ms: days * DAY_MS,
  }))

export const retentionMs = (account: AccountRow, importId: string): number =>
  periodsOf(account).findLast(({ fromId }) => importId >= fromId)?.ms ?? RETENTION_DAYS * DAY_MS

/** Limits the size of one transaction. */
const BATCH = 500
/** A batch has up to 500 items. */
const BATCHES = 2

/**
 * Removes what has become old: media, jobs, batches, events and answers. It runs at most once an hour. Ids are ordered
 * by time, so each query reads little more than the rows that it needs. Returns when the next sweep is due.
 */
export const sweep = (rows: AccountRows, historyMs: number, now: number): number | undefined => {
  const { account, sql } = rows
  const periods = unexpiredPeriods(account)
  // The deployment may have stored media for longer than it keeps jobs now.
  const keptMs = Math.max(historyMs, ...periods.map(({ ms }) => ms))
  // Whole days, so that D1 gets one statement a day.
  const keptFrom = Math.floor(now / DAY_MS) * DAY_MS - keptMs
  const isDone = [
    ...periods.map((period) => expireMedia(rows, period, now)),
    removeJobs(rows, keptFrom, now),
    removeBatches(sql, newId('batch', keptFrom), BATCHES),
  ].every(Boolean)
  if (!isDone) return now + 1
  account.sweptAt = now
  rollUpMonths(sql, keptFrom)
  removeOldEvents(sql, now)
  const expiries = periods.map((period) => nextExpiryAt(sql, period))
  const nextAt = Math.min(...expiries, nextRemovalAt(sql) + keptMs, forgetAnswers(sql, now) ?? never)
  return nextAt === never ? undefined : Math.max(nextAt, now + HOUR_MS)
}

const never = Number.POSITIVE_INFINITY

const withMedia = "kind = 'import' AND state = 'completed' AND removed_at IS NULL"

type Period = ReturnType<typeof periodsOf>[number]

/** Without the imports whose media has been removed by earlier sweeps. */
const unexpiredPeriods = (account: AccountRow): Period[] =>
  periodsOf(account).flatMap(({ fromId, untilId, ms }) => {
    const oldest = newId('import', Math.max(0, account.sweptAt - ms - JOB_DEADLINE_MS))
    const unexpiredFrom = latest(oldest, fromId)
    return unexpiredFrom < untilId ? [{ fromId: unexpiredFrom, untilId, ms }] : []
  })

/** The API refuses the links from the minute of their expiry on, so the files may stay a little longer. */
const expireMedia = (rows: AccountRows, { fromId, untilId, ms }: Period, now: number): boolean => {
  const isExpired = `WHERE id >= ? AND id < ? AND ${withMedia} AND completed_at <= ? ORDER BY id LIMIT ?`
  const expired = jobTable.select(rows.sql, isExpired, fromId, untilId, now - ms, BATCH)
  discardStored(rows, expired, now, mediaKeysOf)
  for (const { id } of expired) rows.sql.exec('UPDATE jobs SET removed_at = completed_at + ? WHERE id = ?', ms, id)
  return expired.length < BATCH
}

const removeJobs = (rows: AccountRows, keptFrom: number, now: number): boolean => {
  const [imports, transcriptions] = [newId('import', keptFrom), newId('transcription', keptFrom)]
  // A live job reads the media of these jobs. Their rows are needed to delete it later.
  const kept = [...neededFiles(rows)]
  const found = jobTable.select(
    rows.sql,
    `WHERE ((id >= 'imp_' AND id < ?) OR (id >= 'trn_' AND id < ?))
       AND state IN ('completed', 'failed') AND id NOT IN (SELECT value FROM json_each(?)) LIMIT ?`,
    imports,
    transcriptions,
    JSON.stringify(kept),
    BATCH + 1,
  )
  if (found.length === 0) return true
  const old = found.slice(0, BATCH)
  discardStored(rows, old, now)
  for (const job of old) {
    rows.sql.exec('DELETE FROM jobs WHERE id = ?', job.id)
    if (hasWordsToFind(job)) updateIndex(rows, job.id, now)
  }
  if (old.length < found.length) return false
  // One statement for all of them, when the last of them is removed here.
  changeLists(rows.sql, { kind: 'trim', before: positionOf(imports), kept }, now)
  return true
}

/** Ids are in the order of admission. Those before the job that completed first were live with it, so they are few. */
const nextExpiryAt = (sql: SqlStorage, { fromId, untilId, ms }: Period): number => {
  const query = `SELECT min(completed_at) FROM
      (SELECT completed_at FROM jobs WHERE id >= ? AND id < ? AND ${withMedia} ORDER BY id LIMIT ${MAX_CONCURRENT_JOBS})`
  const at = firstValue<number>(sql, query, fromId, untilId)
  return at === null ? never : at + ms
}

const nextRemovalAt = (sql: SqlStorage): number => {
  const query = 'SELECT created_at FROM jobs WHERE id >= ? AND id < ? ORDER BY id LIMIT 1'
  const times = ['imp_', 'trn_'].map((prefix) => firstValue<number>(sql, query, prefix, `${prefix}~`) ?? never)
  const oldest = Math.min(...times, oldestBatchAt(sql) ?? never)
  return oldest === never ? never : Math.ceil(oldest / DAY_MS) * DAY_MS
}
