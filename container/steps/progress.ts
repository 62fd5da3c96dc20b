import { firstProgress, type Progress, type StepOrder } from '../../domain/protocol/protocol.ts'
import { untilAborted } from '../../domain/until-aborted.ts'
import { isPermanent, LeaseLost, type WorkerClient } from '../worker-client.ts'

/** What the account has agreed to pay for. Steps without a price have no limit. */
export interface Agreed {
  bytes: number
  seconds: number
  /** How often the progress had changed when the report was sent that this answers. */
  changes: number
}

interface ProgressListeners {
  onStop: () => void
  onRejected: (error: Error) => void
  onError: (error: unknown) => void
}

const RETRY_MS = 1_000
/** After its first change. Callers soon see that a step runs, and one that ends sooner reports only its outcome. */
const FIRST_MS = 1_000

export type ProgressReporter = ReturnType<typeof createProgressReporter>

/**
 * Sends a step's progress to the Worker. It is also the lease's heartbeat, so it is sent at regular intervals, changed
 * or not. In between it is sent only by `flush`, for what decides about money.
 */
export const createProgressReporter = (
  { heartbeatMs, agreed }: Pick<StepOrder, 'heartbeatMs' | 'agreed'>,
  worker: Pick<WorkerClient, 'reportProgress'>,
  { onStop, onRejected, onError }: ProgressListeners,
) => {
  let progress = firstProgress
  const measureSpeed = createSpeedMeter()
  let changes = 0
  let lastAgreed = agreedOf(agreed.bytes, agreed.seconds, changes)
  const listeners = new Set<(agreed: Agreed) => void>()
  let sending: Promise<void> | null = null
  let closed = false

  const send = async (): Promise<void> => {
    if (closed) return
    clearTimeout(timer)
    let nextMs = heartbeatMs
    const reportedChanges = changes
    try {
      const bytesPerSecond = progress.stage === 'downloading' ? measureSpeed(progress.downloadedBytes) : null
      const answer = await worker.reportProgress({ ...progress, bytesPerSecond })
      if (answer.stop) return onStop()
      lastAgreed = agreedOf(answer.agreedBytes, answer.agreedSeconds, reportedChanges)
      for (const listener of listeners) listener(lastAgreed)
    } catch (error) {
      if (error instanceof LeaseLost) onStop()
      else if (isPermanent(error)) onRejected(error as Error)
      else if (!closed) {
        onError(error)
        nextMs = RETRY_MS
      }
    }
    if (!closed) sendAfter(nextMs)
  }
  const sendOnce = (): Promise<void> => {
    sending ??= send().finally(() => {
      sending = null
    })
    return sending
  }
  let timer: NodeJS.Timeout | undefined
  const sendAfter = (ms: number): void => {
    clearTimeout(timer)
    timer = setTimeout(sendOnce, Math.min(heartbeatMs, ms))
  }
  sendAfter(heartbeatMs)
  return {
    set: (changed: Partial<Progress>): void => {
      progress = { ...progress, ...changed }
      if (changes++ === 0) sendAfter(FIRST_MS)
    },
    /** Sends the current progress at once and resolves when the Worker has received it, and may have stopped the step. */
    flush: async (): Promise<void> => {
      // A request that is already under way may not contain the latest change.
      await sending
      await sendOnce()
    },
    /** Calls the listener with the last answer, and with each further one, until the returned function is called. */
    onAgreed: (listener: (agreed: Agreed) => void): (() => void) => {
      listeners.add(listener)
      listener(lastAgreed)
      return () => void listeners.delete(listener)
    },
    get changes(): number {
      return changes
    },
    get downloadedBytes(): number {
      return progress.downloadedBytes
    },
    close: (): void => {
      closed = true
      clearTimeout(timer)
    },
  }
}

/**
 * Resolves with what the account has agreed to, when that is enough for what the progress says. An answer to an earlier
 * report does not count: the same money may have paid for bytes that have arrived since. Rejects when the step ends. A
 * report that fails is repeated with the heartbeat.
 */
export const untilAgreed = async (
  isEnough: (agreed: Agreed) => boolean,
  { progress, signal }: { progress: ProgressReporter; signal: AbortSignal },
): Promise<Agreed> => {
  signal.throwIfAborted()
  const { promise, resolve } = Promise.withResolvers<Agreed>()
  const { changes } = progress
  let isAgreed = false
  const stopListening = progress.onAgreed((agreed) => {
    isAgreed = agreed.changes >= changes && isEnough(agreed)
    if (isAgreed) resolve(agreed)
  })
  try {
    if (!isAgreed) void progress.flush()
    return await untilAborted(promise, signal)
  } finally {
    stopListening()
  }
}

const agreedOf = (bytes: number | null | undefined, seconds: number | null | undefined, changes: number): Agreed => ({
  bytes: bytes ?? Number.POSITIVE_INFINITY,
  seconds: seconds ?? Number.POSITIVE_INFINITY,
  changes,
})

/** Weight of the latest measurement in the reported speed (exponential smoothing). */
const SMOOTHING = 0.4
const MIN_INTERVAL_SECONDS = 0.2

const createSpeedMeter = () => {
  let last = { bytes: 0, at: performance.now() }
  let smoothed: number | null = null
  return (bytes: number): number | null => {
    const seconds = (performance.now() - last.at) / 1_000
    if (seconds < MIN_INTERVAL_SECONDS) return smoothed
    const measured = Math.max(0, (bytes - last.bytes) / seconds)
    smoothed = Math.round(smoothed === null ? measured : smoothed + SMOOTHING * (measured - smoothed))
    last = { bytes, at: performance.now() }
    return smoothed
  }
}
