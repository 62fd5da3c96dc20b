import type { Job } from '../api-types.ts'
import { HaulError } from '../errors.ts'
import { type Call, pause } from '../http/call.ts'
import { type Connection, pathOf } from '../http/connection.ts'
import { readEvents } from '../http/read-events.ts'
import { backoffMs } from '../http/retry.ts'
import type { Progress, ProgressOptions } from '../options.ts'

/** What streams, status reads and `GET /jobs/{id}` have in common. */
export type JobState = Omit<Job, 'type' | 'url' | 'createdAt'>

/** The service sends the first event at once. If it does not arrive, a proxy is buffering the stream. */
const FIRST_EVENT_MS = 10_000
/** After these, the job is followed by long polls. */
const MAX_BROKEN_STREAMS = 4

const LONGEST_POLL_SECONDS = 30
/** A long poll returns when the job ends, so polls that report progress are shorter. */
const PROGRESS_POLL_SECONDS = 5
/** Applies if the service responds at once although it should wait. */
const SHORTEST_POLL_MS = 1_000

/**
 * Follows a job by its event stream, or by long polls, and resolves with it when it has completed or failed. `isQuiet`: only
 * the end matters, so polls are as long as possible.
 */
export const followJob = async (
  connection: Connection,
  call: Call,
  jobId: string,
  report: (job: JobState) => void,
  isQuiet = false,
): Promise<JobState> =>
  (await followStream(connection, call, jobId, report)) ?? poll(connection, call, jobId, report, isQuiet)

const followStream = async (
  connection: Connection,
  { signal }: Call,
  jobId: string,
  report: (job: JobState) => void,
): Promise<JobState | null> => {
  const request = { path: `${pathOf('jobs', jobId)}/events` }
  for (let broken = 1; broken <= MAX_BROKEN_STREAMS; broken++) {
    let hasEvents = false
    try {
      for await (const { data } of readEvents(connection, request, { signal, firstEventMs: FIRST_EVENT_MS })) {
        if (data === undefined) continue
        const job: JobState = JSON.parse(data)
        hasEvents = true
        report(job)
        if (hasEnded(job)) return job
      }
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof HaulError)) throw error
      // Long polls find out what is wrong: a status read is retried or refused.
      if (!hasEvents) return null
    }
    await pause(backoffMs(broken), signal)
  }
  return null
}

const poll = async (
  connection: Connection,
  call: Call,
  jobId: string,
  report: (job: JobState) => void,
  isQuiet: boolean,
): Promise<JobState> => {
  const wait = isQuiet ? LONGEST_POLL_SECONDS : PROGRESS_POLL_SECONDS
  for (;;) {
    const since = Date.now()
    const job = await readStatus(connection, call, jobId, { wait })
    report(job)
    if (hasEnded(job)) return job
    const remainingMs = SHORTEST_POLL_MS - (Date.now() - since)
    if (remainingMs > 0) await pause(remainingMs, call.signal)
  }
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

const hasEnded = ({ status }: JobState): boolean => status === 'completed' || status === 'failed'

export const progressReporter = (onProgress: ProgressOptions['onProgress']) => {
  let last = ''
  return (job: JobState): void => {
    const progress = progressOf(job)
    if (!onProgress || !progress || JSON.stringify(progress) === last) return
    last = JSON.stringify(progress)
    onProgress(progress)
  }
}

const progressOf = ({ status, startedAt, progress }: JobState): Progress | null => {
  if (progress) return wholeProgress(progress)
  return status === 'queued' && startedAt === null ? wholeProgress({ stage: 'queued' }) : null
}

/** null for what is not known. */
export const wholeProgress = ({
  stage,
  percent = null,
  bytesPerSecond = null,
  etaSeconds = null,
}: Partial<Progress> & { stage: string }): Progress => ({ stage, percent, bytesPerSecond, etaSeconds })
