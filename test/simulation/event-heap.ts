/**
 * One life of one part of the product: an object in memory, an invocation of the Worker, an engine's process, a caller.
 * After its death nothing of it runs: the platform settles a promise only in an event, and events of the dead are dropped.
 */
export interface Owner {
  readonly kind: 'object' | 'invocation' | 'engine' | 'caller'
  readonly name: string
  readonly number: number
  isDead: boolean
  /** Its events wait until `thaw`, as those of a process that hangs. */
  isFrozen: boolean
  /** What its clock is ahead of the platform's. */
  skewMs: number
  /** Called once, when it is killed. */
  readonly onDeath: Set<() => void>
}

export interface ClockEvent {
  at: number
  /** Events of the same time run in the order in which they were scheduled. */
  sequence: number
  owner: Owner | null
  label: string
  /** null: canceled, or it has run. */
  act: (() => void) | null
}

/** A binary heap: the earliest event is first. */
export class EventHeap {
  readonly #events: ClockEvent[] = []

  peek(): ClockEvent | undefined {
    return this.#events[0]
  }

  push(event: ClockEvent): void {
    const events = this.#events
    let index = events.length
    while (index > 0) {
      const parentIndex = (index - 1) >> 1
      const parent = events[parentIndex] as ClockEvent
      if (isBefore(parent, event)) break
      events[index] = parent
      index = parentIndex
    }
    events[index] = event
  }

  pop(): void {
    const events = this.#events
    const last = events.pop()
    if (!last || events.length === 0) return
    let index = 0
    for (;;) {
      let child = index * 2 + 1
      if (child >= events.length) break
      if (child + 1 < events.length && isBefore(events[child + 1] as ClockEvent, events[child] as ClockEvent))
        child += 1
      if (isBefore(last, events[child] as ClockEvent)) break
      events[index] = events[child] as ClockEvent
      index = child
    }
    events[index] = last
  }
}

const isBefore = (one: ClockEvent, other: ClockEvent): boolean =>
  one.at < other.at || (one.at === other.at && one.sequence < other.sequence)
