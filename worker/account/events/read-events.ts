import { eventId } from '../../../domain/events/event-ids.ts'
import type { Job } from '../../../domain/jobs/job.ts'
import type { AccountRows } from '../account-rows.ts'
import { asBatch, readBatchRow } from '../batches/batch-rows.ts'
import type { AccountEvent, EventPage } from '../calls.ts'
import { withoutJobLease } from '../jobs/job-rows.ts'
import type { LoggedEvent } from './event-rows.ts'

/** Limits the size of one answer. */
const PAGE = 50

/** What comes after this number. */
export const eventsAfter = (rows: AccountRows, number: number, now: number): EventPage => {
  const logged = rows.events.after(number, PAGE, now)
  const { openJobs, openBatches } = rows.account
  return {
    events: logged.flatMap((event) => readEvent(rows, event) ?? []),
    last: logged.at(-1)?.number ?? number,
    isBusy: openJobs.length > 0 || openBatches.length > 0,
  }
}

/** null: its job or batch was removed with the history of the account. */
const readEvent = (rows: AccountRows, { number, type, subjectId }: LoggedEvent): AccountEvent | null => {
  const id = eventId(number, subjectId)
  if (type.startsWith('batch.')) {
    const batch = readBatchRow(rows.sql, subjectId)
    // It has ended, so none of its items runs.
    return batch && { id, type, at: batch.completedAt ?? 0, job: null, batch: asBatch(batch, 0) }
  }
  const row = rows.readJob(subjectId)
  if (!row) return null
  const job = withoutJobLease(row)
  return type === 'job.started'
    ? { id, type, at: job.startedAt ?? 0, job: atItsStart(job), batch: null }
    : { id, type, at: job.completedAt ?? 0, job, batch: null }
}

/** What has happened since is told by other events. */
const atItsStart = (job: Job): Job =>
  ({ ...job, state: 'running', completedAt: null, removedAt: null, result: null, failure: null }) as Job
