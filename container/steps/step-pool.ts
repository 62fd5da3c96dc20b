import type { StepOrder } from '../../domain/protocol/protocol.ts'

/** Runs step orders up to the container's capacity. */
export interface StepPool {
  accept(order: StepOrder): 'accepted' | 'full' | 'stopping'
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
  const running = new Map<string, Promise<void>>()
  const accepted = new Set<string>()
  const stopping = new AbortController()
  return {
    accept: (order) => {
      if (stopping.signal.aborted) return 'stopping'
      // Each lease has its own attempt number, so only a duplicate of an order has the same one.
      const id = `${order.jobId} ${order.step} ${order.attempt}`
      if (accepted.has(id)) return 'accepted'
      if (running.size >= capacity) return 'full'
      remember(accepted, id)
      running.set(
        id,
        run(order, stopping.signal).finally(() => running.delete(id)),
      )
      return 'accepted'
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

const remember = (accepted: Set<string>, id: string): void => {
  accepted.add(id)
  for (const oldest of accepted) {
    if (accepted.size <= REMEMBERED_ORDERS) return
    accepted.delete(oldest)
  }
}
