import type { StepOrder } from '../protocol.ts'

/** Takes orders as long as there is room, and knows which are under way. */
export interface Desk {
  take(order: StepOrder): 'taken' | 'full' | 'stopping'
  readonly running: number
  readonly capacity: number
  readonly stopping: boolean
  /** Takes no more, ends what runs, and resolves when all of it has been given back. */
  stop(): Promise<void>
}

/** How many orders are remembered after their end. */
const REMEMBERED = 1_000

export const createDesk = (capacity: number, run: (order: StepOrder, stopping: AbortSignal) => Promise<void>): Desk => {
  const running = new Map<string, Promise<void>>()
  const seen = new Set<string>()
  const stopping = new AbortController()
  return {
    take: (order) => {
      if (stopping.signal.aborted) return 'stopping'
      const id = `${order.jobId} ${order.step} ${order.attempt}`
      // The queue may deliver an order twice, the second time after its end.
      if (seen.has(id)) return 'taken'
      if (running.size >= capacity) return 'full'
      remember(seen, id)
      running.set(
        id,
        run(order, stopping.signal).finally(() => running.delete(id)),
      )
      return 'taken'
    },
    get running() {
      return running.size
    },
    capacity,
    get stopping() {
      return stopping.signal.aborted
    },
    stop: async () => {
      stopping.abort()
      await Promise.all(running.values())
    },
  }
}

const remember = (seen: Set<string>, id: string): void => {
  seen.add(id)
  for (const oldest of seen) {
    if (seen.size <= REMEMBERED) return
    seen.delete(oldest)
  }
}
