import { setTimeout as sleep } from 'node:timers/promises'
import type { Child, LogFile } from './child.ts'

const LONGEST_WAIT_MS = 5_000
/** A process that dies sooner never started: a wrong setting or a broken installation. */
const STARTED_AFTER_MS = 10_000
const MAX_RESTARTS = 5

export interface SuperviseOptions {
  name: string
  start: () => Child
  log: Pick<LogFile, 'tail'>
  print: (line: string) => void
  /** Doubled with each failed start. */
  firstWaitMs?: number
  clock?: Clock
}

interface Clock {
  now(): number
  sleep(ms: number, value: null, options: { signal: AbortSignal }): Promise<unknown>
}

const realClock: Clock = { now: () => performance.now(), sleep }

export const supervise = (options: SuperviseOptions) => {
  const { name, start, log, print, firstWaitMs = 250, clock = realClock } = options
  const stopping = new AbortController()
  const gaveUp = Promise.withResolvers<Error>()
  let child = start()
  const restartWhenItDies = async (): Promise<void> => {
    for (let failedStarts = 0; ; ) {
      const startedAt = clock.now()
      const { reason } = await child.exited
      stopping.signal.throwIfAborted()
      failedStarts = clock.now() - startedAt < STARTED_AFTER_MS ? failedStarts + 1 : 0
      if (failedStarts > MAX_RESTARTS) break
      print(`The ${name} died (${reason}); restarting it`)
      const waitMs = firstWaitMs * 2 ** Math.max(0, failedStarts - 1)
      await clock.sleep(Math.min(LONGEST_WAIT_MS, waitMs), null, { signal: stopping.signal })
      child = start()
    }
    gaveUp.resolve(new Error(`The ${name} keeps dying. The end of its log:\n${log.tail()}`))
  }
  restartWhenItDies().catch(() => {
    // Stopped.
  })
  return {
    get pid() {
      return child.pid
    },
    gaveUp: gaveUp.promise,
    /** Resolves when the current process is gone. The next one starts by itself. */
    kill: (signal: NodeJS.Signals) => child.stop(signal),
    stop: (signal?: NodeJS.Signals) => {
      stopping.abort()
      return child.stop(signal)
    },
  }
}

export type Supervised = ReturnType<typeof supervise>
