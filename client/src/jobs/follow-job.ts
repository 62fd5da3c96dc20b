import type { Job } from '../api-types.ts'
import { follow } from '../follow.ts'
import type { Call } from '../http/call.ts'
import { type Connection, pathOf } from '../http/connection.ts'

/** What streams, status reads and `GET /jobs/{id}` have in common. */
export type JobState = Omit<Job, 'type' | 'url' | 'createdAt'>

const LONGEST_POLL_SECONDS = 30
/** A long poll returns when the job ends, so polls that report progress are shorter. */
const PROGRESS_POLL_SECONDS = 5
const SHORTEST_POLL_MS = 1_000

/** Resolves with the job when it has completed or failed. `isQuiet`: only the end matters, so polls are as long as possible. */
export const followJob = (
  connection: Connection,
  call: Call,
  jobId: string,
  report: (job: JobState) => void,
  isQuiet = false,
): Promise<JobState> => {
  const wait = isQuiet ? LONGEST_POLL_SECONDS : PROGRESS_POLL_SECONDS
  const poll = () => readStatus(connection, call, jobId, { wait })
  const job = { path: pathOf('jobs', jobId), poll, shortestPollMs: SHORTEST_POLL_MS }
  return follow(connection, call, job, report)
}

export const readStatus = (
  connection: Connection,
  call: Call,
  jobId: string,
  query: { wait?: number; words?: 1 },
): Promise<JobState> => {
  const path = jobId.startsWith('trn_') ? '/transcribe/status' : '/import/status'
  return connection.json(call, { path, query: { id: jobId, ...query } })
}

export const progressOfJob = ({ status, startedAt, progress }: JobState) =>
  progress ?? (status === 'queued' && startedAt === null ? { stage: 'queued' } : null)
