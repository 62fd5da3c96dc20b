import { eventNumberAt, nextEventNumber } from '../../../domain/events/event-ids.ts'
import type { AccountEventType } from '../../../domain/events/event-types.ts'
import { DAY_MS, MINUTE_MS } from '../../../domain/time.ts'
import { type LoggedEvent, lastEventNumber, readLoggedEvents } from './event-rows.ts'

const KEPT_MS = DAY_MS
/** What an event takes in memory, with its id and its place in a list. */
const EVENT_BYTES = 160
const eventsIn = (bytes: number): number => Math.floor(bytes / EVENT_BYTES)
const MAX_NEWEST = eventsIn(1_000_000)
/** So many are dropped at once, because the others are moved. */
const DROPPED = 1_000
/** So many streams can catch up at once without taking each other's lists away. */
const EARLIER_LISTS = 4
const MAX_EARLIER = eventsIn(1_000_000 / EARLIER_LISTS)
/** If no stream asks for so long, the lists are dropped. */
const UNREAD_MS = MINUTE_MS

interface EventList {
  /** The list has every event with a higher number than `since`, up to `until`. */
  since: number
  until: number
  events: LoggedEvent[]
}

/**
 * The events of the account in one order. An event has no row of its own: its number is written with the row of its job or
 * its batch. The highest number is written with the account's row, when that is written. The start of a job does not
 * write it; but then the job is open, so its row is found.
 *
 * Streams read events from lists in memory, which are made from the rows when a stream needs events that they lack. Each
 * act appends its events to the list of the newest. A stream that is far behind reads lists of earlier events, one after the
 * other, until it arrives at the newest.
 */
export class EventLog {
  readonly #sql: SqlStorage
  /** null: no event was numbered or read since this memory was empty. */
  #last: number | null = null
  /** Those of the act that runs. */
  #pending: LoggedEvent[] = []
  /** Its `until` is infinite. */
  #newest: EventList | null = null
  /** The last that was read comes first. */
  #earlier: EventList[] = []
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
    if (now - this.#readAt > UNREAD_MS) {
      this.#newest = null
      this.#earlier = []
    }
    if (!this.#newest) return
    this.#newest.events.push(...events)
    dropOldest(this.#newest)
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
      this.#newest ??= { since: this.last, until: Number.POSITIVE_INFINITY, events: [] }
      return []
    }
    const { events } = this.#listedAfter(from) ?? this.#readAfter(from)
    // From the end, where most streams are.
    const start = events.findLastIndex((event) => event.number <= from) + 1
    return events.slice(start, start + limit)
  }

  #listedAfter(number: number): EventList | undefined {
    const lists = this.#newest ? [this.#newest, ...this.#earlier] : this.#earlier
    return lists.find(({ since, until }) => since <= number && number < until)
  }

  #readAfter(number: number): EventList {
    const events = readLoggedEvents(this.#sql, number, MAX_EARLIER)
    const last = events[MAX_EARLIER - 1]
    const list = { since: number, until: last?.number ?? Number.POSITIVE_INFINITY, events }
    if (last) this.#earlier = [list, ...this.#earlier].slice(0, EARLIER_LISTS)
    else this.#newest = list
    return list
  }
}

const dropOldest = (list: EventList): void => {
  if (list.events.length <= MAX_NEWEST) return
  const dropped = list.events.splice(0, list.events.length - MAX_NEWEST + DROPPED)
  list.since = dropped.at(-1)?.number ?? list.since
}
