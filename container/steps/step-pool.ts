import type { EngineState, StepOrder } from '../../domain/protocol/protocol.ts'
import type { Disk } from './disk.ts'
import type { StepControl } from './step.ts'

/**
 * Runs step orders and probes. Their places are given by the fleet, which is fair between accounts. The pool only has
 * a hard limit, for example for two fleets that disagree.
 */
export interface StepPool {
  accept(order: StepOrder): 'accepted' | 'full' | 'stopping'
  /**
   * Runs the work of a probe. null: the container is full, or the pool is stopping, which aborts the signal that the
   * work gets.
   */
  probe<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T | null>
  /** The job was canceled. Its step ends without reporting an outcome. Whether there was one. */
  cancel(step: Pick<StepOrder, 'jobId' | 'attempt'>): boolean
  /** Steps and probes. */
  readonly running: number
  readonly steps: EngineState['running']
  /** No more orders are accepted. */
  readonly draining: boolean
  /** Accepts no more orders, and resolves when all steps and probes have ended. */
  drain(): Promise<void>
  /** As `drain`, but stops the running steps, which are given back. */
  stop(): Promise<void>
}

export interface PoolLimits {
  /** Steps and probes. */
  maxRunning: number
  disk: Disk
}

/** Orders are remembered after their end, because a queue may deliver a message again that late. */
const REMEMBERED_ORDERS = 1_000

interface RunningStep {
  order: StepOrder
  disk: { readonly bytes: number }
  canceled: AbortController
  ended: Promise<void>
}

export const createStepPool = (
  { maxRunning, disk }: PoolLimits,
  run: (order: StepOrder, control: StepControl) => Promise<void>,
): StepPool => {
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
    accept: (order) => {
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
    probe: async (outer, work) => {
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
    cancel: ({ jobId, attempt }) => cancel((order) => order.jobId === jobId && order.attempt === attempt),
    get running() {
      return running.size + probes.size
    },
    get steps() {
      return [...running.values()].map(({ order: { jobId, step, attempt, accountId, placeId }, disk }) => ({
        ...{ jobId, step, attempt, accountId, placeId },
        diskBytes: disk.bytes,
      }))
    },
    get draining() {
      return draining
    },
    drain,
    stop: async () => {
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
