import { eventNumberAt, nextEventNumber } from '../../../domain/events/event-ids.ts'
import type { AccountEventType } from '../../../domain/events/event-types.ts'
import { DAY_MS, MINUTE_MS } from '../../../domain/time.ts'
import { type LoggedEvent, lastEventNumber, readLoggedEvents } from './event-rows.ts'

const KEPT_MS = DAY_MS
/** About 20 MB in memory. By default an account starts 480 jobs an hour, so it has 23,000 events a day. */
const MAX_KEPT = 200_000
/** If no stream asks for so long, the list is dropped. */
const UNREAD_MS = MINUTE_MS

interface KeptEvents {
  /** Every event with a higher number is in the list, but those that are too old. */
  since: number
  events: LoggedEvent[]
}

/**
 * The events of the account in one order. An event has no row of its own: its number is written with the row of its job or
 * its batch. The highest number is written with the account's row, when that is written. The start of a job does not
 * write it; but then the job is open, so its row is found.
 *
 * Streams read events from a list in memory. It is made from the rows when a stream needs events that it lacks, and each
 * act appends its events.
 */
export class EventLog {
  readonly #sql: SqlStorage
  /** null: no event was numbered or read since this memory was empty. */
  #last: number | null = null
  /** Those of the act that runs. */
  #pending: LoggedEvent[] = []
  #kept: KeptEvents | null = null
  #readAt = 0

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** 0: there has been no event. */
  get last(): number {
    this.#last ??= lastEventNumber(this.#sql)
    return this.#last
  }

  /** To be saved with the account's row. null: it was not read since this memory was empty, so it did not change. */
  get lastInMemory(): number | null {
    return this.#last
  }

  nextNumber(now: number): number {
    this.#last = nextEventNumber(this.last, now)
    return this.#last
  }

  /** Called in the transaction of the act, which saves the number with the job or the batch. */
  add<Type extends AccountEventType>(type: Type, subjectId: string, now: number): LoggedEvent & { type: Type } {
    const event = { number: this.nextNumber(now), type, subjectId }
    this.#pending.push(event)
    return event
  }

  /** After the commit. */
  publish(now: number): void {
    const events = this.#pending
    this.#pending = []
    if (!this.#kept || events.length === 0) return
    const { since, events: kept } = this.#kept
    kept.push(...events)
    this.#kept = now - this.#readAt > UNREAD_MS ? null : { since, events: recent(kept, now) }
  }

  /** After a rollback. Its numbers are not given again. */
  forget(): void {
    this.#pending = []
  }

  /** The oldest events that come after this number, at most so many. */
  after(number: number, limit: number, now: number): LoggedEvent[] {
    this.#readAt = now
    const from = Math.max(number, eventNumberAt(now - KEPT_MS) - 1)
    if (from >= this.last) {
      this.#kept ??= { since: this.last, events: [] }
      return []
    }
    if (!this.#kept || this.#kept.since > from) {
      this.#kept = { since: from, events: recent(readLoggedEvents(this.#sql, from, MAX_KEPT), now) }
    }
    const { events } = this.#kept
    // From the end, where most streams are.
    const start = events.findLastIndex((event) => event.number <= from) + 1
    return events.slice(start, start + limit)
  }
}

const recent = (events: LoggedEvent[], now: number): LoggedEvent[] => {
  const oldest = eventNumberAt(now - KEPT_MS)
  const [first] = events
  const isWhole = events.length <= MAX_KEPT && (!first || first.number >= oldest)
  return isWhole ? events : events.slice(-MAX_KEPT).filter(({ number }) => number >= oldest)
}
