import type { EndedBatchState } from '../../../domain/batches/batch.ts'
import { eventTimeMs } from '../../../domain/events/event-ids.ts'
import type { AccountEventType } from '../../../domain/events/event-types.ts'
import { newId } from '../../../domain/ids.ts'
import type { JobKind } from '../../../domain/jobs/job.ts'

/** An event as it is kept in memory. What it tells of is read from its row when the event is sent. */
export interface LoggedEvent {
  number: number
  type: AccountEventType
  /** The id of the job or the batch. */
  subjectId: string
}

/** The account's row may lack the starts of open jobs. 0: there has been no event. */
export const lastEventNumber = (sql: SqlStorage): number =>
  sql
    .exec<{ last: number }>(
      `SELECT max(coalesce(last_event, 0), coalesce((SELECT max(started_event) FROM jobs
          WHERE id IN (SELECT value FROM json_each(open_jobs))), 0)) AS last FROM account`,
    )
    .one().last

/** All events after this number, in their order. If there are more than `limit`, the newest. */
export const readLoggedEvents = (sql: SqlStorage, after: number, limit: number): LoggedEvent[] =>
  [
    ...jobEvents(sql, 'import', after, limit),
    ...jobEvents(sql, 'transcription', after, limit),
    ...batchEvents(sql, after),
  ]
    .filter(({ number }) => number > after)
    .sort((one, other) => one.number - other.number)
    .slice(-limit)

/** A job ends within eight hours, unless Haul is down for longer. */
const LONGEST_JOB_MS = 7 * 86_400_000

/** `imp_`, `trn_`. */
const PREFIX_LENGTH = 4

type EventColumns = { id: string; state: string; started_event: number | null; ended_event: number | null }

/** Ids sort by the creation of the job, so the primary key limits the rows that are read. */
const jobEvents = (sql: SqlStorage, kind: JobKind, after: number, limit: number): LoggedEvent[] => {
  const fromId = newId(kind, Math.max(0, eventTimeMs(after) - LONGEST_JOB_MS))
  return sql
    .exec<EventColumns>(
      `SELECT id, state, started_event, ended_event FROM jobs
        WHERE id > ? AND id < ? AND (started_event > ? OR ended_event > ?) ORDER BY id DESC LIMIT ?`,
      fromId,
      `${fromId.slice(0, PREFIX_LENGTH)}~`,
      after,
      after,
      limit,
    )
    .toArray()
    .flatMap(({ id, state, started_event, ended_event }): LoggedEvent[] => [
      ...(started_event === null ? [] : [{ number: started_event, type: 'job.started' as const, subjectId: id }]),
      ...(ended_event === null
        ? []
        : [{ number: ended_event, type: `${kind}.${state as 'completed' | 'failed'}` as const, subjectId: id }]),
    ])
}

/** A batch may take weeks, so no range of ids has those that have ended lately. Its rows are few. */
const batchEvents = (sql: SqlStorage, after: number): LoggedEvent[] =>
  sql
    .exec<{ id: string; state: EndedBatchState; ended_event: number }>(
      'SELECT id, state, ended_event FROM batches WHERE ended_event > ?',
      after,
    )
    .toArray()
    .map(({ id, state, ended_event }) => ({ number: ended_event, type: `batch.${state}`, subjectId: id }))
