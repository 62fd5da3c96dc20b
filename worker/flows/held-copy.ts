import { OutOfTime } from '../delivery/s3/patience.ts'
import type { CopyRuntime, CopyState } from '../delivery/s3/run.ts'
import type { FetchedImport, Progress } from '../domain/jobs/job.ts'
import type { CopyStanding } from '../domain/storage/copies.ts'

/** A stub that has seen its object die stays broken, so each call asks for one. */
export type Account = () => ReturnType<Env['ACCOUNTS']['getByName']>

/** The lease of a job's `deliver` step. */
export interface Held {
  jobId: string
  lease: string
}

/** Where an unfinished upload lies. Its keys are not kept with it. */
export interface Place {
  endpoint: string
  bucket: string
  key: string
}

/** What one run leaves for the next in the account. */
export interface Note {
  place: Place
  state: CopyState
}

export const readNote = (text: string | null): Note | null => (text === null ? null : (JSON.parse(text) as Note))

export const isSamePlace = (one: Place, other: Place): boolean =>
  one.endpoint === other.endpoint && one.bucket === other.bucket && one.key === other.key

/** Queues give an invocation 15 minutes; a request that began before this may take three more. */
const RUN_MS = 10 * 60_000
/** How late a copy hears that its job was canceled. */
const BEAT_MS = 2_000

export const patience = {
  now: Date.now,
  random: Math.random,
  sleep: (ms: number, signal: AbortSignal) => scheduler.wait(ms, { signal }),
}

interface Holding {
  place: Place
  media: FetchedImport
  /** That the copy goes on from. */
  state: CopyState | null
  leaseMs: number
}

/**
 * A copy's life under its lease. Beats keep the lease and tell how far the copy is; they and every saving
 * hear how the job stands. When it is over the copy is called off and cleans up; when another run has
 * the lease, this one stops where it is and leaves the upload to the other.
 */
export const holding = (account: Account, held: Held, { place, media, state, leaseMs }: Holding) => {
  const over = new AbortController()
  const stopped = new AbortController()
  const until = Date.now() + RUN_MS
  let isLost = false
  let sentBytes = sentOf(state)

  const hear = (standing: CopyStanding): void => {
    if (standing === 'over') over.abort(new Error('The job is over'))
    if (standing === 'lost') isLost = true
  }

  const runtime: CopyRuntime = {
    ...patience,
    signal: over.signal,
    get deadline() {
      return isLost ? 0 : until
    },
    save: async (next) => {
      // Nothing is left, says a copy that gave up. The job ends with it, and the account makes sure of that.
      if (!next) return
      sentBytes = sentOf(next)
      const standing = await account().saveCopy(held, JSON.stringify({ place, state: next } satisfies Note))
      hear(standing)
      if (standing !== 'go on') throw new OutOfTime()
    },
  }

  const beat = async (): Promise<void> => {
    const heard = await account().progress(held, progressOf(media, sentBytes))
    hear(heard === 'go on' ? heard : await account().copyStanding(held))
  }

  const beats = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      await beat().catch((cause) => console.warn('beat', held.jobId, cause))
      await scheduler.wait(Math.min(BEAT_MS, leaseMs / 4), { signal: stopped.signal }).catch(() => {})
    }
  }

  return {
    /** Runs the copy under its beats. */
    keep: async <T>(copy: (runtime: CopyRuntime) => Promise<T>): Promise<T> => {
      const beating = beats()
      try {
        return await copy(runtime)
      } finally {
        stopped.abort()
        await beating
      }
    },
  }
}

const sentOf = (state: CopyState | null): number => (state ? state.parts.length * state.partSizeBytes : 0)

const progressOf = ({ downloadedBytes, fileSizeBytes }: FetchedImport, sentBytes: number): Progress => ({
  stage: 'delivering',
  percent: Math.min(99, Math.floor((100 * sentBytes) / fileSizeBytes)),
  downloadedBytes,
  totalBytes: downloadedBytes,
  bytesPerSecond: null,
})
