import type { Progress } from '../../domain/protocol/protocol.ts'
import type { CopyLeaseState, JobLease } from '../account/calls.ts'
import type { FilesProgress, FilesRuntime, FileToDeliver } from './s3/copy-files.ts'
import { type CopyState, OutOfTime } from './s3/copy-state.ts'

/** Called for each request: after its object restarts, a stub stays broken. */
export type GetAccount = () => ReturnType<Env['ACCOUNTS']['getByName']>

interface Place {
  endpoint: string
  bucket: string
}

/** The note of a job that delivers. The bucket's credentials are not saved with it. */
export interface SavedCopy {
  /** `key`: of the file in progress. */
  place: Place & { key: string }
  /** Keys of the files before it. */
  copied: string[]
  state: CopyState | null
}

export const parseSavedCopy = (text: string | null): SavedCopy | null =>
  text === null ? null : (JSON.parse(text) as SavedCopy)

/** Whether these files, at this place, begin with those that are saved. */
export const isContinued = ({ place, copied }: SavedCopy, { endpoint, bucket }: Place, files: FileToDeliver[]) =>
  place.endpoint === endpoint &&
  place.bucket === bucket &&
  [...copied, place.key].every((key, index) => files[index]?.key === key)

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
  place: Place
  /** From the source, by an earlier step. */
  downloadedBytes: number
  leaseMs: number
}

/**
 * Runs a copy while heartbeats renew its lease and report progress. Each heartbeat and each save returns the state of
 * the lease. If the job has ended, the copy aborts its upload. If another run has the lease, it keeps the upload.
 */
export const runUnderLease = async <T>(
  account: GetAccount,
  lease: JobLease,
  { place: { endpoint, bucket }, downloadedBytes, leaseMs }: CopyInLease,
  copy: (runtime: FilesRuntime) => Promise<T>,
): Promise<T> => {
  const jobEnded = new AbortController()
  const copyEnded = new AbortController()
  const deadline = Date.now() + RUN_MS
  let isLost = false
  let progress: FilesProgress = { sentBytes: 0, percent: 0 }

  const apply = (leaseState: CopyLeaseState): void => {
    if (leaseState === 'over') jobEnded.abort(new Error('The job has ended'))
    if (leaseState === 'lost') isLost = true
  }

  const runtime: FilesRuntime = {
    ...retryClock,
    signal: jobEnded.signal,
    get deadline() {
      return isLost || progress.sentBytes >= RUN_BYTES ? 0 : deadline
    },
    save: async ({ copied, key, state }, next) => {
      progress = next
      const note: SavedCopy = { place: { endpoint, bucket, key }, copied, state }
      const leaseState = await account().saveCopy(lease, JSON.stringify(note))
      apply(leaseState)
      if (leaseState !== 'continue') throw new OutOfTime()
    },
  }

  const heartbeat = async (): Promise<void> => {
    const verdict = await account().progress(lease, progressOf(downloadedBytes, progress))
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

const progressOf = (downloadedBytes: number, { percent }: FilesProgress): Progress => ({
  stage: 'delivering',
  percent,
  downloadedBytes,
  totalBytes: downloadedBytes,
  bytesPerSecond: null,
})
