import { eventId, eventNumberAt, eventNumberOf, eventTimeMs } from '../../../domain/events/event-ids.ts'
import { eventsInTables } from '../../worker/support/books.ts'
import { endsActs, type FaultClass } from '../faults/fault-classes.ts'
import type { Invariants, Row, Seen, Sql } from './seen.ts'

interface Numbered extends Row {
  id: string
  number: number
}

/** Those of watches, which no other row tells of. */
const eventsOfWatches = (sql: Sql, since: number): number =>
  sql
    .exec<{ events: number }>(
      "SELECT count(*) AS events FROM events WHERE type LIKE 'watch.%' AND number >= ?",
      eventNumberAt(since),
    )
    .one().events

/** The ids of all events that are kept, in their order. */
const idsOf = (sql: Sql): string[] =>
  sql
    .exec<Numbered>('SELECT subject_id AS id, number FROM events ORDER BY number')
    .toArray()
    .map(({ id, number }) => eventId(number, id))

/** Within a job its start comes first, and the end of a batch comes after those of its items. */
const DISORDERED = `SELECT jobs.id FROM jobs JOIN events AS ended ON ended.subject_id = jobs.id AND ended.type <> 'job.started'
    LEFT JOIN events AS started ON started.subject_id = jobs.id AND started.type = 'job.started'
    LEFT JOIN events AS batch ON batch.subject_id = batch_id
  WHERE started.number >= ended.number OR ended.number > batch.number`

/** So old are the oldest events that the account keeps for certain. */
const KEPT_MS = 12 * 3_600_000

const delaysNews: FaultClass[] = [
  // Of the bucket too, which has the transcript that a stream tells.
  'database slow',
  'socket message lost',
  'socket breaks',
  'clock wrong',
  'request lost',
  'response lost',
]
const AT_ONCE_MS = 1_000
/** A socket that fails without a sign is opened again after a minute, and each call on the way may be slow. */
const RENEWED_MS = 150_000

interface Page {
  events: { id: string }[]
  last: number
}

/** The ids that a reader gets who has all events up to this one. */
const readAfter = async ({ world }: Seen, accountId: string, keyHash: string, id: string): Promise<string[]> => {
  const account = world.namespaces.ACCOUNTS.binding.getByName(accountId) as {
    eventsAfter(keyHash: string, after: number): Promise<Page>
  }
  const ids: string[] = []
  for (let last = eventNumberOf(id); ; ) {
    const page = await account.eventsAfter(keyHash, last)
    if (page.last === last) return ids
    ids.push(...page.events.map((event) => event.id))
    last = page.last
  }
}

/** A reader who resumes, after whichever event, misses no event, gets none twice, and all in their order. */
export const events = (): Invariants => ({
  atRest: async (seen) => {
    const mostMs = seen.neverFail(...endsActs, ...delaysNews) ? AT_ONCE_MS : RENEWED_MS
    for (const { path, lateMs } of seen.accounts.flatMap(({ told }) => told)) {
      if (lateMs > mostMs)
        seen.broken('a stream tells in time of the end of what it follows', path, `${lateMs} ms late`)
    }
    for (const { id } of seen.accounts) {
      const sql = seen.sqlOf(id)
      if (!sql) continue
      const reader = seen.readers.get(id)
      const ids = idsOf(sql)
      const since = seen.world.clock.now - KEPT_MS
      const { length } = eventsInTables(sql as never, since)
      const all = ids.filter((event) => eventTimeMs(eventNumberOf(event)) >= since).length
      const known = all - eventsOfWatches(sql, since)
      if (known !== length) seen.broken('everything that happened is an event', id, `${known} of ${length}`)
      for (const job of sql.exec<{ id: string }>(DISORDERED).toArray()) {
        seen.broken('events are in the order in which they happened', job.id, 'its events are not')
      }
      const read = reader?.events.map((event) => event.id) ?? []
      expectAll(seen, id, ids.slice(Math.max(0, ids.indexOf(read[0] ?? ''))), read)
      const recent = ids.filter((event) => eventTimeMs(eventNumberOf(event)) > seen.world.clock.now - KEPT_MS)
      const [key] = sql
        .exec<{ hash: string }>('SELECT hash FROM keys WHERE revoked_at IS NULL AND scopes IS NULL')
        .toArray()
      for (const position of key ? [0, recent.length >> 1] : []) {
        const [after, ...later] = recent.slice(position)
        if (key && after) expectAll(seen, id, later, await readAfter(seen, id, key.hash, after))
      }
    }
  },
})

const expectAll = (seen: Seen, account: string, expected: string[], read: string[]): void => {
  if (read.join() === expected.join()) return
  const missed = expected.filter((event) => !read.includes(event))
  const found = `read ${read.length} of ${expected.length}; ${missed}`
  seen.broken('a reader gets every event once, in order', account, found)
}
