import type { Job, JobKind, JobState } from './job.ts'
import type { JobMetadata } from './job-metadata.ts'

export interface JobFilter {
  kind: JobKind | null
  state: JobState | null
  metadata: JobMetadata
  createdFrom: number | null
  createdBefore: number | null
  /** Part of the title or of the URL, whatever the case. */
  text: string | null
  keyId: string | null
}

interface FilteredJob extends Pick<Job, 'kind' | 'state' | 'createdAt' | 'metadata'> {
  url: string | null
  title: string | null
  keyId?: string | null
}

export const isFound = (job: FilteredJob, filter: JobFilter): boolean =>
  (filter.kind ?? job.kind) === job.kind &&
  (filter.state ?? job.state) === job.state &&
  (filter.createdFrom === null || job.createdAt >= filter.createdFrom) &&
  (filter.createdBefore === null || job.createdAt < filter.createdBefore) &&
  Object.entries(filter.metadata).every(([key, value]) => job.metadata?.[key] === value) &&
  (filter.text === null || searchedText(job).includes(searched(filter.text))) &&
  (filter.keyId === null || job.keyId === filter.keyId)

/** SQLite changes the case of ASCII only. */
export const searched = (text: string): string => text.normalize('NFC').toLowerCase()

export const searchedText = ({ title, url }: Pick<FilteredJob, 'title' | 'url'>): string =>
  searched(`${title ?? ''}\n${url ?? ''}`)
