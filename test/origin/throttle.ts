import { setTimeout as sleep } from 'node:timers/promises'

/** How far a sender may run ahead of its rate: timers are too coarse to pace each piece. */
const slackMs = 10

/** Paces all senders that share it to so many bytes per second together. */
export function createThrottle(bytesPerSecond: number) {
  let paidUntilMs = performance.now()
  return async (bytes: number) => {
    paidUntilMs = Math.max(paidUntilMs, performance.now() - slackMs) + (bytes / bytesPerSecond) * 1000
    const aheadMs = paidUntilMs - performance.now()
    if (aheadMs > slackMs) await sleep(aheadMs)
  }
}
