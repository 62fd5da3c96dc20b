import { accepted, type Result } from '../../../domain/codes/refusals.ts'
import { eventId, eventNumberOf } from '../../../domain/events/event-ids.ts'
import { firstStep, type Job } from '../../../domain/jobs/job.ts'
import type { AccountRows } from '../account-rows.ts'
import { type AccountState, readAct } from '../acts.ts'
import { asBatch, readBatchRow } from '../batches/batch-rows.ts'
import type { AccountEvent, EventPage } from '../calls.ts'
import { oldestLiveAt, readJob, withoutJobLease } from '../jobs/job-rows.ts'
import { mayUse, poolOf } from '../keys/key-rows.ts'
import { readRequestAct } from '../requests/authenticated-request.ts'
import { limitReached } from '../requests/limits.ts'
import { eventsFrom, type LoggedEvent, lastEventNumber } from './event-rows.ts'
import { MAX_EVENT_STREAMS } from './open-streams.ts'

/** Opening a stream counts as one request; its later polls do not. `lastEventId` null: only new events. */
export const openEventStream = readRequestAct(
  (requesting, streamId: string, lastEventId: string | null): Result<{ after: number }> => {
    const { rows, key, streams, endpoint, now } = requesting
    if (streams.countOthers(streamId, poolOf(key), now) >= MAX_EVENT_STREAMS) {
      const message = `The limit of ${MAX_EVENT_STREAMS} open streams on ${endpoint} is reached.`
      return limitReached(requesting, 'CONCURRENCY_LIMITED', { limit: MAX_EVENT_STREAMS, message })
    }
    streams.renew(streamId, poolOf(key), now)
    const last = lastEventNumber(rows.sql)
    // An id from the future would make the stream wait for it.
    return accepted({ after: lastEventId === null ? last : Math.min(eventNumberOf(lastEventId), last) })
  },
)

/** The events after this number. null: the key has been revoked. */
export const eventsAfter = readAct(
  ({ rows, streams, now }, keyHash: string, streamId: string, after: number): EventPage | null => {
    const key = rows.keys.live(keyHash, now)
    if (!key || !mayUse(key, 'read')) return null
    streams.renew(streamId, poolOf(key), now)
    return pageAfter(rows, after, now)
  },
)

export const closeEventStream = ({ streams }: AccountState, streamId: string): void => streams.close(streamId)

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
  const isBusy = oldestLiveAt(rows.sql) !== null || rows.account.openBatches.length > 0
  return { events, last, isBusy }
}

/** null: its job or batch was removed with the history of the account. */
const readEvent = (rows: AccountRows, { number, type, subjectId }: LoggedEvent): AccountEvent | null => {
  const id = eventId(number, subjectId)
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
