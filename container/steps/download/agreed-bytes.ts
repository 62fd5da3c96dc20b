import { untilAborted } from '../../../domain/until-aborted.ts'
import type { ProgressReporter } from '../progress.ts'

/** How far ahead of the taken bytes a download of unknown size asks: what it takes in two seconds, within these limits. */
const AHEAD_SECONDS = 2
const MIN_AHEAD_BYTES = 4_000_000
const MAX_AHEAD_BYTES = 32_000_000

interface AgreedBytesOptions {
  progress: Pick<ProgressReporter, 'set' | 'flush' | 'onAgreed'>
  signal: AbortSignal
  now?: () => number
}

export type AgreedBytes = ReturnType<typeof createAgreedBytes>

/**
 * The account answers each progress report with how many bytes it holds money for. A download takes its bytes from here as
 * it reads them, and stops where there is no agreement yet. It asks for more when half of the bytes of the last answer are
 * taken, so that it rarely has to stop. It asks nothing if all is agreed.
 */
export const createAgreedBytes = ({ progress, signal, now = () => performance.now() }: AgreedBytesOptions) => {
  let agreed: number | null = null
  let taken = 0
  let totalBytes: number | null = null
  let askAt = 0
  let asking = false
  let lastAsked = { at: now(), taken: 0 }
  let waiting: { upTo: number; resolve: () => void }[] = []

  const wanted = (): number => {
    if (totalBytes !== null) return Math.max(totalBytes, taken)
    const seconds = (now() - lastAsked.at) / 1_000
    const perSecond = seconds > 0 ? (taken - lastAsked.taken) / seconds : 0
    const ahead = Math.round(Math.min(MAX_AHEAD_BYTES, Math.max(MIN_AHEAD_BYTES, perSecond * AHEAD_SECONDS)))
    return taken + ahead
  }
  const ask = async (): Promise<void> => {
    if (asking) return
    asking = true
    const neededBytes = waiting[0]?.upTo
    progress.set({ wantedBytes: wanted(), neededBytes })
    lastAsked = { at: now(), taken }
    // Until the next question, reports only repeat what is agreed.
    askAt = Number.POSITIVE_INFINITY
    await progress.flush()
    asking = false
    // A download that stopped while the question was under way has not been part of it.
    const next = waiting[0]?.upTo
    if (next !== undefined && next !== neededBytes && !signal.aborted) void ask()
  }
  const close = progress.onAgreed(({ bytes: agreedBytes }) => {
    agreed = agreedBytes
    const ready = waiting.filter(({ upTo }) => upTo <= agreedBytes)
    waiting = waiting.filter(({ upTo }) => upTo > agreedBytes)
    if (waiting.length === 0) progress.set({ neededBytes: undefined })
    for (const { resolve } of ready) resolve()
    const isComplete = totalBytes !== null && agreedBytes >= totalBytes
    askAt = isComplete ? Number.POSITIVE_INFINITY : taken + (agreedBytes - taken) / 2
  })

  return {
    /** Resolves when this many more bytes are agreed. Rejects when the step ends. */
    take: (bytes: number): Promise<void> => {
      taken += bytes
      const upTo = taken
      if (agreed !== null && upTo <= agreed) {
        if (taken >= askAt) void ask()
        return Promise.resolve()
      }
      if (signal.aborted) return Promise.reject(signal.reason)
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push({ upTo, resolve })
      void ask()
      return untilAborted(promise, signal)
    },
    /** The source announced its size. All of it is asked for at once, unless it is agreed, and nothing beyond it in advance. */
    announce: (bytes: number): void => {
      totalBytes = bytes
      if (agreed === null || agreed < bytes) void ask()
      else askAt = Number.POSITIVE_INFINITY
    },
    /** The download has ended. The next one of the step asks for itself. */
    close,
  }
}
