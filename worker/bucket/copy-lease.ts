import type { FetchedImport } from '../../domain/jobs/job.ts'
import type { Progress } from '../../domain/protocol/protocol.ts'
import type { CopyLeaseState, JobLease } from '../account/calls.ts'
import { type CopyRuntime, type CopyState, OutOfTime } from './s3/copy-state.ts'

/** Called for each request: after its object restarts, a stub stays broken. */
export type GetAccount = () => ReturnType<Env['ACCOUNTS']['getByName']>

/** Where an unfinished upload is. The bucket's credentials are not saved with it. */
export interface ObjectAddress {
  endpoint: string
  bucket: string
  key: string
}

export interface SavedCopy {
  place: ObjectAddress
  state: CopyState
}

export const parseSavedCopy = (text: string | null): SavedCopy | null =>
  text === null ? null : (JSON.parse(text) as SavedCopy)

export const isSameAddress = (one: ObjectAddress, other: ObjectAddress): boolean =>
  one.endpoint === other.endpoint && one.bucket === other.bucket && one.key === other.key

/** A run of an alarm may take 15 minutes, and a request that starts before the deadline may take three. */
const RUN_MS = 10 * 60_000
/** A run hashes no more: it would take more than the 30 s of CPU time that wrangler.toml allows. */
const RUN_BYTES = 4_000_000_000
/** A copy notices a canceled job after at most this time. */
const HEARTBEAT_MS = 2_000

export const retryClock = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms: number, signal: AbortSignal) => scheduler.wait(ms, { signal }),
}

interface CopyInLease {
  place: ObjectAddress
  media: FetchedImport
  state: CopyState | null
  leaseMs: number
}

/**
 * Runs a copy while heartbeats renew its lease and report progress. Each heartbeat and each save returns the state of
 * the lease. If the job has ended, the copy aborts and cleans up. If another run has the lease, it keeps the upload.
 */
export const runUnderLease = async <T>(
  account: GetAccount,
  lease: JobLease,
  { place, media, state, leaseMs }: CopyInLease,
  copy: (runtime: CopyRuntime) => Promise<T>,
): Promise<T> => {
  const jobEnded = new AbortController()
  const copyEnded = new AbortController()
  const deadline = Date.now() + RUN_MS
  let isLost = false
  const resumedBytes = copiedBytesOf(state)
  let copiedBytes = resumedBytes

  const apply = (leaseState: CopyLeaseState): void => {
    if (leaseState === 'over') jobEnded.abort(new Error('The job has ended'))
    if (leaseState === 'lost') isLost = true
  }

  const runtime: CopyRuntime = {
    ...retryClock,
    signal: jobEnded.signal,
    get deadline() {
      const isEnough = copiedBytes - resumedBytes >= RUN_BYTES
      return isLost || isEnough ? 0 : deadline
    },
    save: async (next) => {
      // null: the copy has removed its upload. The job ends next, and the account then deletes the saved state.
      if (!next) return
      copiedBytes = copiedBytesOf(next)
      const leaseState = await account().saveCopy(lease, JSON.stringify({ place, state: next } satisfies SavedCopy))
      apply(leaseState)
      if (leaseState !== 'continue') throw new OutOfTime()
    },
  }

  const heartbeat = async (): Promise<void> => {
    const verdict = await account().progress(lease, progressOf(media, copiedBytes))
    apply(verdict === 'continue' ? verdict : await account().copyLeaseState(lease))
  }

  const heartbeats = async (): Promise<void> => {
    while (!copyEnded.signal.aborted) {
      await heartbeat().catch((cause) => console.warn('copy heartbeat failed', lease.jobId, cause))
      await scheduler.wait(Math.min(HEARTBEAT_MS, leaseMs / 4), { signal: copyEnded.signal }).catch(() => {})
    }
  }

  const running = heartbeats()
  try {
    return await copy(runtime)
  } finally {
    copyEnded.abort()
    await running
  }
}

const copiedBytesOf = (state: CopyState | null): number => (state ? state.parts.length * state.partSizeBytes : 0)

const progressOf = ({ downloadedBytes, fileSizeBytes }: FetchedImport, copiedBytes: number): Progress => ({
  stage: 'delivering',
  percent: Math.min(99, Math.floor((100 * copiedBytes) / fileSizeBytes)),
  downloadedBytes,
  totalBytes: downloadedBytes,
  bytesPerSecond: null,
})
