import { positionOf } from '../../../domain/ids.ts'
import type { JobKind, JobState } from '../../../domain/jobs/job.ts'
import { RETENTION_MS } from '../../../domain/limits.ts'
import { type ListedJob, listJobs } from '../../directory.ts'

export interface JobFilter {
  kind: JobKind | null
  state: JobState | null
}

interface JobPage {
  /** The position of the last job of the previous page. */
  before: string | null
  limit: number
}

/**
 * A page of an account's jobs, newest first: from D1, which has each job as it was accepted or as it ended, and from
 * the account, which has the current state of those that are open. Where both have a job, the account is right.
 */
export const pageOfJobs = async (
  db: D1Database,
  accountId: string,
  open: ListedJob[],
  filter: JobFilter,
  { before, limit }: JobPage,
): Promise<ListedJob[]> => {
  const isOpen = new Set(open.map(({ id }) => id))
  const isLive = filter.state === 'queued' || filter.state === 'running'
  // Open jobs may take the place of as many of D1.
  const range = { before, limit: limit + open.length }
  const recorded = isLive ? [] : await listJobs(db, accountId, filter, range)
  const page = [...open.map(asShown), ...recorded.filter(({ id }) => !isOpen.has(id)).map(asShown)]
  return page
    .filter(({ id }) => before === null || positionOf(id) < before)
    .filter(({ kind, state }) => (filter.kind ?? kind) === kind && (filter.state ?? state) === state)
    .sort((one, other) => (positionOf(one.id) < positionOf(other.id) ? 1 : -1))
    .slice(0, limit)
}

/** As in the status: a running transcription is queued (see job-status.ts), and expired media is removed. */
const asShown = (job: ListedJob): ListedJob => ({
  ...job,
  state: job.kind === 'transcription' && job.state === 'running' ? 'queued' : job.state,
  removedAt: job.removedAt ?? expiredAt(job),
})

const expiredAt = ({ kind, state, completedAt }: ListedJob): number | null => {
  if (kind !== 'import' || state !== 'completed' || completedAt === null) return null
  return completedAt + RETENTION_MS <= Date.now() ? completedAt + RETENTION_MS : null
}
