import type { EngineState, StepOrder } from '../../domain/protocol/protocol.ts'
import type { Disk } from './disk.ts'
import type { StepControl } from './step.ts'

/** Orders are remembered after their end, because a queue may deliver a message again that late. */
const REMEMBERED_ORDERS = 1_000

interface RunningStep {
  order: StepOrder
  disk: { readonly bytes: number }
  canceled: AbortController
  ended: Promise<void>
}

export type StepPool = ReturnType<typeof createStepPool>

/**
 * Runs step orders and probes, at most `maxRunning` at once. Their places are given by the fleet, which is fair between
 * accounts. The pool only has a hard limit, for example for two fleets that disagree.
 */
export const createStepPool = (
  { maxRunning, disk }: { maxRunning: number; disk: Disk },
  run: (order: StepOrder, control: StepControl) => Promise<void>,
) => {
  const running = new Map<string, RunningStep>()
  const accepted = new Set<string>()
  const stopping = new AbortController()
  const probes = new Set<Promise<unknown>>()
  let draining = false
  const idOf = ({ jobId, step, attempt }: StepOrder) => `${jobId} ${step} ${attempt}`
  const isFull = () => running.size + probes.size >= maxRunning
  const cancel = (isMeant: (order: StepOrder) => boolean): boolean => {
    const meant = [...running.values()].filter(({ order }) => isMeant(order))
    for (const { canceled } of meant) canceled.abort()
    return meant.length > 0
  }
  const drain = async (): Promise<void> => {
    draining = true
    await Promise.allSettled([...probes, ...[...running.values()].map(({ ended }) => ended)])
  }
  return {
    accept: (order: StepOrder): 'accepted' | 'full' | 'stopping' => {
      // Each lease has its own attempt number, so only a duplicate of an order has the same one. A later one means that
      // the account has ended the lease of those before.
      const id = idOf(order)
      if (accepted.has(id)) return 'accepted'
      if (draining) return 'stopping'
      cancel((other) => other.jobId === order.jobId && other.attempt < order.attempt)
      const reservation = isFull() ? null : disk.reserve(order.diskBytes ?? 0)
      if (!reservation) return 'full'
      remember(accepted, id)
      const canceled = new AbortController()
      const ended = run(order, { stopping: stopping.signal, canceled: canceled.signal, disk: reservation }).finally(
        () => {
          running.delete(id)
          reservation.release()
        },
      )
      running.set(id, { order, disk: reservation, canceled, ended })
      return 'accepted'
    },
    /**
     * Runs the work of a probe. null: the container is full, or the pool is stopping, which aborts the signal that the
     * work gets.
     */
    probe: async <T>(outer: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T | null> => {
      const signal = AbortSignal.any([outer, stopping.signal])
      if (draining || signal.aborted || isFull()) return null
      const working = work(signal)
      probes.add(working)
      try {
        const result = await working
        return stopping.signal.aborted ? null : result
      } finally {
        probes.delete(working)
      }
    },
    /** The job was canceled. Its step ends without reporting an outcome. Whether there was one. */
    cancel: ({ jobId, attempt }: Pick<StepOrder, 'jobId' | 'attempt'>): boolean =>
      cancel((order) => order.jobId === jobId && order.attempt === attempt),
    /** How many steps and probes run. */
    get running(): number {
      return running.size + probes.size
    },
    get steps(): EngineState['running'] {
      return [...running.values()].map(({ order: { jobId, step, attempt, accountId, placeId }, disk }) => ({
        ...{ jobId, step, attempt, accountId, placeId },
        diskBytes: disk.bytes,
      }))
    },
    /** No more orders are accepted. */
    get draining(): boolean {
      return draining
    },
    /** Accepts no more orders, and resolves when all steps and probes have ended. */
    drain,
    /** As `drain`, but stops the running steps, which are given back. */
    stop: async (): Promise<void> => {
      stopping.abort()
      await drain()
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
