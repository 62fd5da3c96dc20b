import { SourceFailure } from '../failures.ts'

/**
 * Ends the requests of a step whose sources send next to nothing, so that no one can occupy a place of the container
 * with a byte now and then. All requests of the step count together, and only while the step waits for a source: not
 * while it writes, uploads, or waits for the account's agreement.
 *
 * The first time, the requests fail in a way that is retried. The second time without a good minute in between, the
 * source counts as unreachable.
 */
export interface LeastSpeed {
  /** For one request: aborts it when the sources are too slow. */
  signal(): AbortSignal
  /** Counts the time of this work as waiting for a source. */
  during<T>(work: Promise<T>): Promise<T>
  received(bytes: number): void
  /** A complete response counts as one second of progress, because small files need more time than bytes. */
  completed(): void
  close(): void
}

export class SourceTooSlow extends SourceFailure {
  readonly isFinal: boolean
  constructor(isFinal: boolean) {
    super('SOURCE_UNREACHABLE', 'The source sends its data too slowly.')
    this.isFinal = isFinal
  }
}

export interface SpeedLimits {
  bytesPerSecond: number
  /** The speed is measured over this time. */
  windowMs: number
  /** The longest time without a byte. */
  idleMs: number
}

const defaultLimits: SpeedLimits = { bytesPerSecond: 8_192, windowMs: 60_000, idleMs: 30_000 }
const CHECKS_PER_IDLE_TIME = 30
const MAX_STRIKES = 2

export const createLeastSpeed = (limits: Partial<SpeedLimits> = {}): LeastSpeed => {
  const { bytesPerSecond, windowMs, idleMs } = { ...defaultLimits, ...limits }
  let pending = 0
  /** While a request is pending. */
  let waitingSince = 0
  let waitedMs = 0
  let window = { startMs: 0, bytes: 0 }
  let progressAtMs = 0
  let strikes = 0
  let controller = new AbortController()
  let timer: NodeJS.Timeout | undefined

  const waited = () => waitedMs + (pending > 0 ? performance.now() - waitingSince : 0)
  const strike = () => {
    strikes += 1
    const struck = controller
    controller = new AbortController()
    const now = waited()
    window = { startMs: now, bytes: 0 }
    progressAtMs = now
    struck.abort(new SourceTooSlow(strikes >= MAX_STRIKES))
  }
  const check = () => {
    const now = waited()
    if (now - progressAtMs >= idleMs) return strike()
    const elapsedMs = now - window.startMs
    if (elapsedMs < windowMs) return
    if (window.bytes < (elapsedMs / 1_000) * bytesPerSecond) return strike()
    strikes = 0
    window = { startMs: now, bytes: 0 }
  }
  const begin = () => {
    if (pending === 0) {
      waitingSince = performance.now()
      timer = setInterval(check, idleMs / CHECKS_PER_IDLE_TIME)
    }
    pending += 1
  }
  const end = () => {
    waitedMs = waited()
    waitingSince = performance.now()
    pending -= 1
    if (pending === 0) clearInterval(timer)
  }
  const received = (bytes: number) => {
    window.bytes += bytes
    progressAtMs = waited()
  }
  return {
    signal: () => controller.signal,
    during: async (work) => {
      begin()
      try {
        return await work
      } finally {
        end()
      }
    },
    received,
    completed: () => received(bytesPerSecond),
    close: () => clearInterval(timer),
  }
}
