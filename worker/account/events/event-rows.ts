import { eventId, eventNumberAt, nextEventNumber } from '../../../domain/events/event-ids.ts'
import type { AccountEventType } from '../../../domain/events/event-types.ts'
import { DAY_MS } from '../../../domain/time.ts'
import { firstValue } from '../../sqlite.ts'

/** The event tells of its job or batch as its row is when the event is sent. `data`: JSON of what it tells instead. */
export type LoggedEvent = {
  /** Its time in microseconds, but more than that of the event before. */
  number: number
  type: AccountEventType
  subjectId: string
  data: string | null
}

/** Called in the transaction in which it happens. */
export const addEvent = <Type extends AccountEventType>(
  sql: SqlStorage,
  type: Type,
  subjectId: string,
  now: number,
  data: string | null = null,
): { id: string; type: Type; subjectId: string; data: string | null } => {
  const number = nextEventNumber(lastEventNumber(sql), now)
  sql.exec('INSERT INTO events (number, type, subject_id, data) VALUES (?, ?, ?, ?)', number, type, subjectId, data)
  return { id: eventId(number, subjectId), type, subjectId, data }
}

export const lastEventNumber = (sql: SqlStorage): number =>
  firstValue<number>(sql, 'SELECT max(number) FROM events') ?? 0

const KEPT_MS = DAY_MS

export const eventsFrom = (sql: SqlStorage, after: number, limit: number, now: number): LoggedEvent[] => {
  const query =
    'SELECT number, type, subject_id AS subjectId, data FROM events WHERE number > ? ORDER BY number LIMIT ?'
  const from = Math.max(after, eventNumberAt(now - KEPT_MS) - 1)
  return sql.exec<LoggedEvent>(query, from, limit).toArray()
}

/** Without the last one, after which the next is numbered. */
export const removeOldEvents = (sql: SqlStorage, now: number): void => {
  const query = 'DELETE FROM events WHERE number < ? AND number < (SELECT max(number) FROM events)'
  sql.exec(query, eventNumberAt(now - KEPT_MS))
}
