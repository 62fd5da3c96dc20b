import { setTimeout as sleep } from 'node:timers/promises'
import { errorFields, type Log } from './log.ts'

/** The fleet starts a container because a step waits for it. That step needs the cores first. */
const IDLE_MS = 500

/**
 * Starts what a page would wait for, one part after the other, when the container has nothing else to do. A step that
 * needs a part sooner starts it.
 */
export const warmUp = async (
  parts: Record<string, () => Promise<void>>,
  isIdle: () => boolean,
  log: Log,
  idleMs = IDLE_MS,
): Promise<void> => {
  for (const [name, start] of Object.entries(parts)) {
    do await sleep(idleMs, undefined, { ref: false })
    while (!isIdle())
    await start().catch((error) => log(`${name} not ready`, errorFields(error)))
  }
}
