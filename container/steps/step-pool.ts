import type { StepOrder } from '../../domain/protocol/protocol.ts'
import { createPlaces, type Place } from './places.ts'

/** Runs step orders and probes up to the container's capacity. */
export interface StepPool {
  accept(order: StepOrder): 'accepted' | 'full' | 'stopping'
  /**
   * Runs the work of a probe when it has a place. null: there was none before the signal aborted, the line is full, or
   * the pool is stopping, which aborts the signal that the work gets.
   */
  probe<T>(
    accountId: string | undefined,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | null>
  /** Steps and probes. */
  readonly running: number
  readonly capacity: number
  readonly stopping: boolean
  /** Accepts no more orders, stops the running steps, and resolves when all of them have been given back. */
  stop(): Promise<void>
}

/** Orders are remembered after their end, because a queue may deliver a message again that late. */
const REMEMBERED_ORDERS = 1_000

export const createStepPool = (
  capacity: number,
  run: (order: StepOrder, stopping: AbortSignal) => Promise<void>,
): StepPool => {
  const places = createPlaces(capacity)
  const running = new Map<string, Promise<void>>()
  const accepted = new Set<string>()
  const stopping = new AbortController()
  const idOf = ({ jobId, step, attempt }: StepOrder) => `${jobId} ${step} ${attempt}`
  const runAt = (place: Place, order: StepOrder): Promise<void> =>
    run(order, stopping.signal).finally(() => {
      running.delete(idOf(order))
      place.free()
    })
  return {
    accept: (order) => {
      if (stopping.signal.aborted) return 'stopping'
      // Each lease has its own attempt number, so only a duplicate of an order has the same one.
      const id = idOf(order)
      if (accepted.has(id)) return 'accepted'
      const place = places.take(order.accountId)
      if (!place) return 'full'
      remember(accepted, id)
      running.set(id, runAt(place, order))
      return 'accepted'
    },
    probe: async (accountId, outer, work) => {
      const signal = AbortSignal.any([outer, stopping.signal])
      const place = await places.takeForProbe(accountId, signal)
      if (!place) return null
      try {
        const result = signal.aborted ? null : await work(signal)
        return stopping.signal.aborted ? null : result
      } finally {
        place.free()
      }
    },
    get running() {
      return places.taken
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

const remember = (accepted: Set<string>, id: string): void => {
  accepted.add(id)
  for (const oldest of accepted) {
    if (accepted.size <= REMEMBERED_ORDERS) return
    accepted.delete(oldest)
  }
}
