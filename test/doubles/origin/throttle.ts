import { setTimeout as sleep } from 'node:timers/promises'

/** How far a sender may be ahead of its rate, because timers are too coarse for each chunk. */
const slackMs = 10

/** Limits all senders that share it to this many bytes per second together. */
export function createThrottle(bytesPerSecond: number) {
  let paidUntilMs = performance.now()
  return async (bytes: number) => {
    paidUntilMs = Math.max(paidUntilMs, performance.now() - slackMs) + (bytes / bytesPerSecond) * 1000
    const aheadMs = paidUntilMs - performance.now()
    if (aheadMs > slackMs) await sleep(aheadMs)
  }
}
