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

/** The oldest events after this number, at most so many, in their order. */
export const readLoggedEvents = (sql: SqlStorage, after: number, limit: number): LoggedEvent[] =>
  [
    ...jobEvents(sql, 'import', after, limit),
    ...jobEvents(sql, 'transcription', after, limit),
    ...batchEvents(sql, after, limit),
  ]
    .sort((one, other) => one.number - other.number)
    .slice(0, limit)

/** A job ends within eight hours, unless Haul is down for longer. */
const LONGEST_JOB_MS = 7 * 86_400_000

/** `imp_`, `trn_`. */
const PREFIX_LENGTH = 4

type StoredEvent = { number: number; type: AccountEventType; subjectId: string }

/**
 * Ids sort by the creation of the job, so the primary key limits the rows that are read. SQLite reads each of them once, and
 * holds no more events than the limit.
 */
const jobEvents = (sql: SqlStorage, kind: JobKind, after: number, limit: number): LoggedEvent[] => {
  const fromId = newId(kind, Math.max(0, eventTimeMs(after) - LONGEST_JOB_MS))
  return sql
    .exec<StoredEvent>(
      `SELECT iif(is_end, ended_event, started_event) AS number,
              iif(is_end, kind || '.' || state, 'job.started') AS type, id AS subjectId
         FROM jobs CROSS JOIN (SELECT 0 AS is_end UNION ALL SELECT 1)
        WHERE id > ? AND id < ? AND number > ? ORDER BY number LIMIT ?`,
      fromId,
      `${fromId.slice(0, PREFIX_LENGTH)}~`,
      after,
      limit,
    )
    .toArray()
}

/** A batch may take weeks, so no range of ids has those that have ended lately. Its rows are few. */
const batchEvents = (sql: SqlStorage, after: number, limit: number): LoggedEvent[] =>
  sql
    .exec<StoredEvent>(
      `SELECT ended_event AS number, 'batch.' || state AS type, id AS subjectId FROM batches
        WHERE number > ? ORDER BY number LIMIT ?`,
      after,
      limit,
    )
    .toArray()
