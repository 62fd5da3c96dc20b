import { accepted, type Result } from '../../../domain/codes/refusals.ts'
import { eventId, eventNumberOf, eventTimeMs } from '../../../domain/events/event-ids.ts'
import { firstStep, type Job } from '../../../domain/jobs/job.ts'
import type { AccountRows } from '../account-rows.ts'
import { readAct } from '../acts.ts'
import { asBatch, readBatchRow } from '../batches/batch-rows.ts'
import type { AccountEvent, EventPage } from '../calls.ts'
import { readJob, withoutJobLease } from '../jobs/job-rows.ts'
import { mayUse, poolOf } from '../keys/key-rows.ts'
import { readRequestAct } from '../requests/authenticated-request.ts'
import { limitReached } from '../requests/limits.ts'
import { MAX_EVENT_STREAMS } from '../waiting/waiting-workers.ts'
import { eventsFrom, type LoggedEvent, lastEventNumber } from './event-rows.ts'

/** Opening a stream counts as one request; reading its events does not. `lastEventId` null: only new events. */
export const openEventStream = readRequestAct(
  (requesting, streamId: string, lastEventId: string | null): Result<{ after: number }> => {
    const { rows, key, waiting, endpoint, now } = requesting
    if (waiting.countStreams(poolOf(key), streamId, now) >= MAX_EVENT_STREAMS) {
      const message = `The limit of ${MAX_EVENT_STREAMS} open streams on ${endpoint} is reached.`
      return limitReached(requesting, 'CONCURRENCY_LIMITED', { limit: MAX_EVENT_STREAMS, message })
    }
    const last = lastEventNumber(rows.sql)
    // An id from the future would make the stream wait for it.
    return accepted({ after: lastEventId === null ? last : Math.min(eventNumberOf(lastEventId), last) })
  },
)

/** The events after this number. null: the key has been revoked. */
export const eventsAfter = readAct(({ rows, now }, keyHash: string, after: number): EventPage | null => {
  const key = rows.keys.live(keyHash, now)
  return key && mayUse(key, 'read') ? pageAfter(rows, after, now) : null
})

/** One answer has so many events, or fewer if their jobs are large: a result can have a thousand chapters. */
const PAGE = 50
const PAGE_BYTES = 1_000_000

const pageAfter = (rows: AccountRows, number: number, now: number): EventPage => {
  const events: AccountEvent[] = []
  let last = number
  let sizeBytes = 0
  for (const logged of eventsFrom(rows.sql, number, PAGE, now)) {
    if (sizeBytes >= PAGE_BYTES) break
    const event = readEvent(rows, logged)
    if (event) events.push(event)
    last = logged.number
    sizeBytes += JSON.stringify(event).length
  }
  return { events, last }
}

/** null: its job or batch was removed with the history of the account. */
const readEvent = (rows: AccountRows, { number, type, subjectId, data }: LoggedEvent): AccountEvent | null => {
  const id = eventId(number, subjectId)
  if (data !== null) return { id, type, at: eventTimeMs(number), job: null, batch: null, data: JSON.parse(data) }
  if (type.startsWith('batch.')) {
    const batch = readBatchRow(rows.sql, subjectId)
    return batch && { id, type, at: batch.completedAt ?? 0, job: null, batch: asBatch(batch, 0) }
  }
  const row = readJob(rows.sql, subjectId)
  if (!row) return null
  const job = withoutJobLease(row)
  return type === 'job.started'
    ? { id, type, at: job.startedAt ?? 0, job: atItsStart(job), batch: null }
    : { id, type, at: job.completedAt ?? 0, job, batch: null }
}

const atItsStart = (job: Job): Job =>
  ({
    ...job,
    state: 'running',
    step: firstStep(job.kind, job.request),
    completedAt: null,
    removedAt: null,
    result: null,
    failure: null,
  }) as Job
