import type { PreparedAudio } from '../domain/jobs/job.ts'
import type { Lease } from '../engine/leases.ts'
import { configOf } from '../env.ts'

export interface Heartbeat {
  /** Aborted when nobody wants the work any more: canceled, given up, or another has it. */
  readonly signal: AbortSignal
  heard(pieces: number): void
  stop(): void
}

/** Tells the account how far the work is, often enough for the lease to live. */
export const keepAlive = (env: Env, lease: Lease, { pieces, downloadedBytes }: PreparedAudio): Heartbeat => {
  const account = env.ACCOUNTS.getByName(lease.accountId)
  const unwanted = new AbortController()
  let heard = 0
  const beat = async () => {
    const answer = await account.progress(lease, {
      stage: 'recognizing',
      percent: Math.floor((100 * heard) / pieces.length),
      downloadedBytes,
      totalBytes: null,
      bytesPerSecond: null,
    })
    if (answer !== 'go on') unwanted.abort()
  }
  // A beat that does not get through is followed by others before the lease is over.
  const tell = () => void beat().catch((cause) => console.warn('heartbeat', lease.jobId, `${cause}`))
  tell()
  const timer = setInterval(tell, configOf(env).leaseMs / 4)
  return {
    signal: unwanted.signal,
    heard: (count) => {
      heard = count
    },
    stop: () => clearInterval(timer),
  }
}
