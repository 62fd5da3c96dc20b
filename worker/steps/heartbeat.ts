import type { PreparedAudio } from '../../domain/jobs/job.ts'
import { configOf } from '../env.ts'
import type { Lease } from './lease-token.ts'

export interface Heartbeat {
  /** Aborts when the lease is lost or the job has ended. */
  readonly signal: AbortSignal
  recognized(pieces: number): void
  stop(): void
}

/** Reports progress to the account often enough to keep the lease. */
export const keepAlive = (env: Env, lease: Lease, { pieces, downloadedBytes }: PreparedAudio): Heartbeat => {
  const account = env.ACCOUNTS.getByName(lease.accountId)
  const ended = new AbortController()
  let recognizedPieces = 0
  const beat = async () => {
    const verdict = await account.progress(lease, {
      stage: 'recognizing',
      percent: Math.floor((100 * recognizedPieces) / pieces.length),
      downloadedBytes,
      totalBytes: null,
      bytesPerSecond: null,
    })
    if (verdict !== 'continue') ended.abort()
  }
  // A failed report is followed by others before the lease expires.
  const report = () => void beat().catch((cause) => console.warn('heartbeat', lease.jobId, `${cause}`))
  report()
  const timer = setInterval(report, configOf(env).leaseMs / 4)
  return {
    signal: ended.signal,
    recognized: (count) => {
      recognizedPieces = count
    },
    stop: () => clearInterval(timer),
  }
}
