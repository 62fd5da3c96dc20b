import { setTimeout as sleep } from 'node:timers/promises'
import type { Child, LogFile } from './child.ts'

/** A process that is restarted when it dies. */
export interface Supervised {
  /** Of the current process. */
  readonly pid: number | undefined
  /** Resolves with the reason when the process keeps dying and is not restarted any more. */
  readonly gaveUp: Promise<Error>
  /** Resolves when the current process is gone. The next one starts by itself. */
  kill(signal: NodeJS.Signals): Promise<void>
  stop(signal?: NodeJS.Signals): Promise<void>
}

const LONGEST_WAIT_MS = 5_000
/** A process that dies sooner never started: a wrong setting or a broken installation. */
const STARTED_AFTER_MS = 10_000
const MAX_FAILED_STARTS = 5

export interface SuperviseOptions {
  /** For messages. */
  name: string
  start: () => Child
  log: Pick<LogFile, 'tail'>
  print: (line: string) => void
  /** Doubled with each failed start. */
  firstWaitMs?: number
}

export const supervise = ({ name, start, log, print, firstWaitMs = 250 }: SuperviseOptions): Supervised => {
  const stopping = new AbortController()
  const gaveUp = Promise.withResolvers<Error>()
  let child = start()
  const restartWhenItDies = async (): Promise<void> => {
    for (let failedStarts = 0; failedStarts < MAX_FAILED_STARTS; ) {
      const since = performance.now()
      const { reason } = await child.exited
      stopping.signal.throwIfAborted()
      print(`The ${name} died (${reason}); restarting it`)
      await sleep(Math.min(LONGEST_WAIT_MS, firstWaitMs * 2 ** failedStarts), null, { signal: stopping.signal })
      failedStarts = performance.now() - since < STARTED_AFTER_MS ? failedStarts + 1 : 0
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
    kill: (signal) => child.stop(signal),
    stop: (signal) => {
      stopping.abort()
      return child.stop(signal)
    },
  }
}
