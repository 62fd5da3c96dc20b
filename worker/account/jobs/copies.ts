import { isTerminal, type Job } from '../../domain/jobs/job.ts'
import {
  type CopyPause,
  type CopyStanding,
  type CopyTask,
  cleanupRetryMs,
  copyRetryMs,
} from '../../domain/storage/copies.ts'
import { post } from '../clockwork/outbox.ts'
import { plan, unplan } from '../clockwork/schedule.ts'
import { firstRow } from '../rows.ts'

/**
 * What an account remembers of a copy into a caller's bucket: the note that the next run goes on from, and
 * how often it was tried. The row lives as long as something unfinished may lie in the bucket: a job that
 * ends with a note left behind has its upload cleaned up first.
 */
type CopyRow = {
  note: string | null
  tries: number
  retry_at: number
}

const findCopy = (sql: SqlStorage, jobId: string): CopyRow | undefined =>
  firstRow<CopyRow>(sql, 'SELECT note, tries, retry_at FROM copies WHERE job_id = ?', jobId)

/** A message that comes while the bucket is given time does nothing. */
export const isPaused = (sql: SqlStorage, jobId: string, now: number): boolean =>
  (findCopy(sql, jobId)?.retry_at ?? 0) > now

export const noteOf = (sql: SqlStorage, jobId: string): string | null => findCopy(sql, jobId)?.note ?? null

/** When the copy is to be tried again; null when it was tried often enough. */
export const nextTryAt = (sql: SqlStorage, jobId: string, { kind }: CopyPause, now: number): number | null => {
  if (kind === 'more') return now
  const wait = copyRetryMs(findCopy(sql, jobId)?.tries ?? 0)
  if (wait === null) return null
  sql.exec(
    `INSERT INTO copies (job_id, tries, retry_at) VALUES (?1, 1, ?2)
       ON CONFLICT DO UPDATE SET tries = tries + 1, retry_at = ?2`,
    jobId,
    now + wait,
  )
  return now + wait
}

/** Part of every end of a job that did not deliver its file: what is unfinished is cleaned up, at once to begin with. */
export const abandonCopy = (sql: SqlStorage, jobId: string, now: number): void => {
  sql.exec('UPDATE copies SET tries = 0, retry_at = 0 WHERE job_id = ?', jobId)
  if (noteOf(sql, jobId) === null) forgetCopy(sql, jobId)
  else tendCleanup(sql, jobId, now)
}

/** Asks for the cleaning up, and plans to ask again until it was done. */
export const tendCleanup = (sql: SqlStorage, jobId: string, now: number): void => {
  const copy = findCopy(sql, jobId)
  const wait = copy ? cleanupRetryMs(copy.tries) : null
  if (wait === null) {
    forgetCopy(sql, jobId)
    return
  }
  sql.exec('UPDATE copies SET tries = tries + 1 WHERE job_id = ?', jobId)
  post(sql, { kind: 'step', jobId, step: 'deliver' }, now)
  plan(sql, 'cleanup', jobId, now + wait)
}

/**
 * Once is not enough: S3 says of an upload that is aborted that parts on their way to it may still arrive, and
 * stay until it is aborted again.
 */
export const cleanedUp = (sql: SqlStorage, jobId: string): void => {
  if ((findCopy(sql, jobId)?.tries ?? 0) > 1) forgetCopy(sql, jobId)
}

export const forgetCopy = (sql: SqlStorage, jobId: string): void => {
  sql.exec('DELETE FROM copies WHERE job_id = ?', jobId)
  unplan(sql, jobId, 'cleanup')
}

/** null: nothing of it is left to do. */
export const cleanupOf = (sql: SqlStorage, job: Job): CopyTask | null => {
  const note = isTerminal(job.state) ? noteOf(sql, job.id) : null
  return note === null ? null : { kind: 'clean up', note }
}

/**
 * A run that learns late of its job's end may have begun an upload meanwhile: its note then says what to
 * clean up. A run that lost its lease to another has nothing to say.
 */
export const saveNote = (
  sql: SqlStorage,
  { jobId, note, standing, now }: { jobId: string; note: string; standing: CopyStanding; now: number },
): void => {
  if (standing === 'lost') return
  sql.exec('INSERT INTO copies (job_id, note) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET note = ?2', jobId, note)
  if (standing === 'over') abandonCopy(sql, jobId, now)
}

export const standingOf = (job: Job | null, holdsLease: boolean): CopyStanding => {
  if (holdsLease) return 'go on'
  return job && !isTerminal(job.state) ? 'lost' : 'over'
}
