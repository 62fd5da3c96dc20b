import { SourceFailure } from '../failures.ts'

/**
 * Ends the requests of a step whose sources send next to nothing, so that no one can occupy a place of the container
 * with a byte now and then. All requests of the step count together, and only while the step waits for a source. The
 * first time, they fail in a way that is retried. The second time without a good minute in between, the source counts as
 * unreachable.
 */
export type LeastSpeed = ReturnType<typeof createLeastSpeed>

export class SourceTooSlow extends SourceFailure {
  readonly isFinal: boolean
  constructor(isFinal: boolean) {
    super('SOURCE_UNREACHABLE', 'The source sends its data too slowly.')
    this.isFinal = isFinal
  }
}

export interface SpeedLimits {
  bytesPerSecond: number
  windowMs: number
  idleMs: number
}

const defaultLimits: SpeedLimits = { bytesPerSecond: 8_192, windowMs: 60_000, idleMs: 30_000 }
const CHECKS_PER_IDLE_TIME = 30
const MAX_SLOW_PERIODS = 2

export const createLeastSpeed = (limits: Partial<SpeedLimits> = {}) => {
  const { bytesPerSecond, windowMs, idleMs } = { ...defaultLimits, ...limits }
  let pending = 0
  let waitingSince = 0
  let waitedMs = 0
  let window = { startMs: 0, bytes: 0 }
  let progressAtMs = 0
  let slowPeriods = 0
  let controller = new AbortController()

  const waited = () => waitedMs + (pending > 0 ? performance.now() - waitingSince : 0)
  const abortRequests = () => {
    slowPeriods += 1
    const aborted = controller
    controller = new AbortController()
    const now = waited()
    window = { startMs: now, bytes: 0 }
    progressAtMs = now
    aborted.abort(new SourceTooSlow(slowPeriods >= MAX_SLOW_PERIODS))
  }
  const check = () => {
    if (pending === 0) return
    const now = waited()
    if (now - progressAtMs >= idleMs) return abortRequests()
    const elapsedMs = now - window.startMs
    if (elapsedMs < windowMs) return
    if (window.bytes < (elapsedMs / 1_000) * bytesPerSecond) return abortRequests()
    slowPeriods = 0
    window = { startMs: now, bytes: 0 }
  }
  const timer = setInterval(check, idleMs / CHECKS_PER_IDLE_TIME).unref()
  const received = (bytes: number) => {
    window.bytes += bytes
    progressAtMs = waited()
  }
  const during = async <T>(work: Promise<T>): Promise<T> => {
    if (pending === 0) waitingSince = performance.now()
    pending += 1
    return await work.finally(() => {
      waitedMs = waited()
      waitingSince = performance.now()
      pending -= 1
    })
  }
  return {
    signal: (): AbortSignal => controller.signal,
    during,
    received,
    /** A complete response counts as one second of progress, because small files need more time than bytes. */
    completed: () => received(bytesPerSecond),
    close: () => clearInterval(timer),
  }
}
