import { isOurFault } from '../../../domain/codes/failures.ts'
import { MINUTE_MS } from '../../../domain/time.ts'
import { firstRow } from '../../sqlite.ts'
import { act } from '../acts.ts'
import type { CopyPause } from '../calls.ts'
import type { Again, DueContext } from '../due/due.ts'
import { type DueRow, schedule, unschedule } from '../due/due-rows.ts'
import { isLive } from './job-rows.ts'

/** The state of a copy between its runs. The row is kept as long as the bucket may contain files of a job that has not completed. */
type CopyRow = {
  note: string | null
  tries: number
  retry_at: number
}

/** Half an hour in total, in addition to the 20 s for which each run retries by itself. */
const LONGEST_RETRY_MS = 18 * MINUTE_MS
const RETRY_MS = [5_000, MINUTE_MS, 3 * MINUTE_MS, 8 * MINUTE_MS, LONGEST_RETRY_MS]

export const copyRetryMs = (tries: number): number | null => RETRY_MS[tries] ?? null

/**
 * Delays after each cleanup. The second cleanup is always made, after the last request of a run, which may take three
 * minutes. The others are made only while the bucket fails: about a day.
 */
const CLEANUP_MS = [4 * MINUTE_MS, 10 * MINUTE_MS, 60 * MINUTE_MS, 6 * 60 * MINUTE_MS, 18 * 60 * MINUTE_MS]

const findCopy = (sql: SqlStorage, jobId: string): CopyRow | undefined =>
  firstRow<CopyRow>(sql, 'SELECT note, tries, retry_at FROM copies WHERE job_id = ?', jobId)

/** Duplicate messages are ignored until the retry time. */
export const isWaitingForRetry = (sql: SqlStorage, jobId: string, now: number): boolean =>
  (findCopy(sql, jobId)?.retry_at ?? 0) > now

export const noteOf = (sql: SqlStorage, jobId: string): string | null => findCopy(sql, jobId)?.note ?? null

/** The time of the next run. null: no retry is left. After an error of our own there always is one. */
export const nextRunAt = (sql: SqlStorage, jobId: string, pause: CopyPause, now: number): number | null => {
  if (pause.kind === 'more') return now
  const delayMs = copyRetryMs(findCopy(sql, jobId)?.tries ?? 0) ?? (isOurFault(pause.reason) ? LONGEST_RETRY_MS : null)
  if (delayMs === null) return null
  sql.exec(
    `INSERT INTO copies (job_id, tries, retry_at) VALUES (?1, 1, ?2)
       ON CONFLICT DO UPDATE SET tries = tries + 1, retry_at = ?2`,
    jobId,
    now + delayMs,
  )
  return now + delayMs
}

export const abandonCopy = (sql: SqlStorage, jobId: string, now: number): void => {
  sql.exec('UPDATE copies SET tries = 0, retry_at = 0 WHERE job_id = ?', jobId)
  if (noteOf(sql, jobId) === null) deleteCopy(sql, jobId)
  else schedule(sql, 'cleanup', cleanupOf(jobId), now)
}

/** What is due for it. What is due for its job has another row. */
const CLEANUP = 'cleanup '
const cleanupOf = (jobId: string): string => `${CLEANUP}${jobId}`

export const sendCleanup = async ({ rows, targets, act }: DueContext, { ref }: DueRow): Promise<Again> => {
  const { sql, account } = rows
  const jobId = ref.slice(CLEANUP.length)
  const tries = findCopy(sql, jobId)?.tries ?? CLEANUP_MS.length
  const delayMs = CLEANUP_MS[tries]
  if (delayMs === undefined) return act(() => deleteCopy(sql, jobId))
  await targets.sendCleanup(account.id, jobId)
  return act((now) => {
    sql.exec('UPDATE copies SET tries = ? WHERE job_id = ?', tries + 1, jobId)
    return now + delayMs
  })
}

/** One cleanup is not enough: a bucket may still store files and parts that were in progress during the first. */
export const cleanedUp = act(({ rows: { sql } }, jobId: string) => {
  if ((findCopy(sql, jobId)?.tries ?? 0) > 1) deleteCopy(sql, jobId)
})

export const deleteCopy = (sql: SqlStorage, jobId: string): void => {
  sql.exec('DELETE FROM copies WHERE job_id = ?', jobId)
  unschedule(sql, cleanupOf(jobId))
}

export const noteToCleanUp = act(({ rows }, jobId: string): string | null => {
  const job = rows.findJob(jobId)
  return job && isLive(job) ? null : noteOf(rows.sql, jobId)
})

export const writeNote = (sql: SqlStorage, jobId: string, note: string): void => {
  sql.exec('INSERT INTO copies (job_id, note) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET note = ?2', jobId, note)
}
