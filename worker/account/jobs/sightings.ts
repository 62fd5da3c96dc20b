import type { Sighting } from '../../domain/calls.ts'
import { accepted, type Result, refused } from '../../domain/codes/refusals.ts'
import { isTerminal, type JobKind } from '../../domain/jobs/job.ts'
import type { Books } from '../books.ts'
import { findJob } from './jobs.ts'

/** A job as its owner may see it now; `kind` null takes either. */
export const sighting = ({ sql, watch }: Books, jobId: string, kind: JobKind | null): Result<Sighting> => {
  const found = findJob(sql, jobId)
  if (!found || (kind !== null && found.kind !== kind)) return refused('JOB_NOT_FOUND')
  const { lease: _, leaseUntil: __, ...job } = found
  return accepted({ job: { ...job, progress: watch.progressOf(jobId) }, version: watch.versionOf(jobId) })
}

export const isNews = ({ job, version }: Sighting, seen: number | null): boolean =>
  isTerminal(job.state) || (seen !== null && version > seen)
