import { setTimeout as sleep } from 'node:timers/promises'
import type { Child } from './child.ts'
import type { LogFile } from './log-file.ts'

/** A process that is started again when it dies. */
export interface Kept {
  /** Of the one that runs now, for whoever measures it. */
  readonly pid: number | undefined
  /** Ends only when it can't be kept alive, with the reason. */
  readonly gaveUp: Promise<Error>
  /** Another one follows by itself. Resolves when this one is gone. */
  kill(signal: NodeJS.Signals): Promise<void>
  stop(signal?: NodeJS.Signals): Promise<void>
}

const LONGEST_WAIT_MS = 5_000
/** One that dies sooner has not started: a wrong setting, a broken installation. */
const STARTED_AFTER_MS = 10_000
const MAX_FAILED_STARTS = 5

export interface KeepOptions {
  /** As people call it. */
  name: string
  start: () => Child
  log: Pick<LogFile, 'tail'>
  say: (line: string) => void
  /** Doubled with each start that fails. */
  firstWaitMs?: number
}

export const keep = ({ name, start, log, say, firstWaitMs = 250 }: KeepOptions): Kept => {
  const stopping = new AbortController()
  const gaveUp = Promise.withResolvers<Error>()
  let child = start()
  const keepAlive = async (): Promise<void> => {
    for (let failedStarts = 0; failedStarts < MAX_FAILED_STARTS; ) {
      const since = performance.now()
      const { how } = await child.exited
      stopping.signal.throwIfAborted()
      say(`The ${name} died (${how}); starting it again`)
      await sleep(Math.min(LONGEST_WAIT_MS, firstWaitMs * 2 ** failedStarts), null, { signal: stopping.signal })
      failedStarts = performance.now() - since < STARTED_AFTER_MS ? failedStarts + 1 : 0
      child = start()
    }
    gaveUp.resolve(new Error(`The ${name} does not stay alive. Its last words:\n${log.tail()}`))
  }
  keepAlive().catch(() => {
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
