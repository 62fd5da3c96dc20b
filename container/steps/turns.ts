import { cpus } from 'node:os'
import type { StepOrder } from '../../domain/protocol/protocol.ts'
import { untilAborted } from '../../domain/until-aborted.ts'
import type { StepFunction } from './step.ts'

const LOOK_MS = 100
/** The kernel counts in ticks of 10 ms, so less cannot be told from nothing. */
const IDLE_CORES = 0.25
/** Cores that others keep busy must not hold back steps that wait for their sources. */
const LONGEST_WAIT_MS = 2_000

export type InTurn = ReturnType<typeof createTurns>

/**
 * Steps that compute at the same time slow down each other and every answer about them, and none of them ends sooner. So one
 * step for each core begins at once. Another one begins while a core is idle, because those before it wait for their sources.
 */
export const createTurns = (cores: number, idleCores = idleCoresSinceCalled()) => {
  const waiting: { begin: () => void; since: number }[] = []
  let running = 0
  let looking: NodeJS.Timeout | undefined

  const beginNext = () => {
    const next = waiting.shift()
    if (!next) return
    running++
    next.begin()
  }
  const look = () => {
    const idle = idleCores()
    const [first] = waiting
    const isLate = first !== undefined && performance.now() - first.since >= LONGEST_WAIT_MS
    if (isLate || idle >= IDLE_CORES) beginNext()
    if (waiting.length > 0) return
    clearInterval(looking)
    looking = undefined
  }
  const begin = async (signal: AbortSignal): Promise<void> => {
    if (running < cores && waiting.length === 0) {
      running++
      return
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    const turn = { begin: resolve, since: performance.now() }
    waiting.push(turn)
    if (!looking) {
      idleCores()
      looking = setInterval(look, LOOK_MS)
    }
    try {
      await untilAborted(promise, signal)
    } catch (reason) {
      const index = waiting.indexOf(turn)
      if (index === -1) end()
      else waiting.splice(index, 1)
      throw reason
    }
  }
  const end = () => {
    running--
    if (running < cores) beginNext()
  }
  return <Order extends StepOrder>(step: StepFunction<Order>): StepFunction<Order> =>
    async (order, context) => {
      await begin(context.signal)
      try {
        return await step(order, context)
      } finally {
        end()
      }
    }
}

const idleCoresSinceCalled = () => {
  const read = () => ({ idleMs: cpus().reduce((sum, { times }) => sum + times.idle, 0), at: performance.now() })
  let last = read()
  return (): number => {
    const now = read()
    const idle = (now.idleMs - last.idleMs) / (now.at - last.at)
    last = now
    return idle
  }
}
