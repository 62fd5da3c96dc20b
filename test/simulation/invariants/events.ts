import { eventId } from '../../../domain/events/event-ids.ts'
import { eventsInTables } from '../../worker/support/books.ts'
import { eachAccount, type Invariants, type Row, type Sql } from './seen.ts'

interface Numbered extends Row {
  id: string
  number: number
}

/** The ids of all events since numbers are kept, in their order. */
const idsOf = (sql: Sql): string[] =>
  sql
    .exec<Numbered>(
      `SELECT id, started_event AS number FROM jobs WHERE started_event IS NOT NULL
         UNION ALL SELECT id, ended_event FROM jobs WHERE ended_event IS NOT NULL
         UNION ALL SELECT id, ended_event FROM batches WHERE ended_event IS NOT NULL ORDER BY number`,
    )
    .toArray()
    .map(({ id, number }) => eventId(number, id))

/** Within a job its start comes first, and the end of a batch comes after those of its items. */
const DISORDERED = `SELECT jobs.id FROM jobs LEFT JOIN batches ON batches.id = batch_id
  WHERE started_event >= jobs.ended_event OR jobs.ended_event > batches.ended_event`

/** A reader who resumes misses no event, gets none twice, and all in their order. */
export const events = (): Invariants => ({
  atRest: (seen) =>
    eachAccount(seen, ({ id }, sql) => {
      const reader = seen.readers.get(id)
      const ids = idsOf(sql)
      if (ids.length !== eventsInTables(sql as never).length) {
        seen.broken(
          'everything that happened is an event',
          id,
          `${ids.length} of ${eventsInTables(sql as never).length}`,
        )
      }
      for (const job of sql.exec<{ id: string }>(DISORDERED).toArray()) {
        seen.broken('events are in the order in which they happened', job.id, 'its events are not')
      }
      if (!reader || reader.events.length === 0) return
      const read = reader.events.map((event) => event.id)
      const expected = ids.slice(ids.indexOf(read[0] ?? ''))
      if (read.join() === expected.join()) return
      const missed = expected.filter((event) => !read.includes(event))
      seen.broken(
        'a reader gets every event once, in order',
        id,
        `read ${read.length} of ${expected.length}; ${missed}`,
      )
    }),
})
