import type { Progress } from '../protocol.ts'
import { isHopeless, type Worker } from '../worker.ts'

/** Tells the Worker how a step gets on, once a second whether or not something changed: it is the heartbeat too. */
export interface Report {
  set(progress: Partial<Progress>): void
  /** Tells it now: the account may want to stop the step before more is downloaded. Resolves when it has been heard. */
  flush(): Promise<void>
  close(): void
}

export interface ReportOptions {
  worker: Pick<Worker, 'progress'>
  /** The Worker wants no more of this step. */
  onStop: () => void
  onTrouble: (error: unknown) => void
  beatMs?: number
}

/** How much of the last beat's speed is in the one that is told; the rest is what was told before. */
const SMOOTHING = 0.4

export const createReport = ({ worker, onStop, onTrouble, beatMs = 1_000 }: ReportOptions): Report => {
  let progress: Progress = {
    stage: 'resolving',
    percent: null,
    downloadedBytes: 0,
    totalBytes: null,
    bytesPerSecond: null,
  }
  const speed = createSpeedometer()
  let sending: Promise<void> | null = null
  let closed = false

  const send = async (): Promise<void> => {
    if (closed) return
    try {
      const bytesPerSecond = progress.stage === 'downloading' ? speed(progress.downloadedBytes) : null
      const { stop } = await worker.progress({ ...progress, bytesPerSecond })
      if (stop) onStop()
    } catch (error) {
      if (isHopeless(error)) onStop()
      else if (!closed) onTrouble(error)
    }
  }
  const beat = (): Promise<void> => {
    sending ??= send().finally(() => {
      sending = null
    })
    return sending
  }
  /** What is on its way may not have the latest: it is awaited, and then told anew. */
  const flush = async (): Promise<void> => {
    const before = sending
    await before
    await beat()
  }
  const timer = setInterval(beat, beatMs)
  beat()
  return {
    set: (changed) => {
      progress = { ...progress, ...changed }
    },
    flush,
    close: () => {
      closed = true
      clearInterval(timer)
    },
  }
}

const createSpeedometer = () => {
  let last = { bytes: 0, at: performance.now() }
  let told: number | null = null
  return (bytes: number): number | null => {
    const seconds = (performance.now() - last.at) / 1_000
    if (seconds < 0.2) return told
    const measured = Math.max(0, (bytes - last.bytes) / seconds)
    told = Math.round(told === null ? measured : told + SMOOTHING * (measured - told))
    last = { bytes, at: performance.now() }
    return told
  }
}
