import type { JobKind, JobState } from './job.ts'
import type { JobMetadata } from './job-metadata.ts'

/** Which jobs a list has. All that is set must match. */
export interface JobFilter {
  kind: JobKind | null
  state: JobState | null
  /** The job has all of these. */
  metadata: JobMetadata
  /** Milliseconds. The job was created then or later. */
  createdFrom: number | null
  /** Milliseconds. The job was created earlier. */
  createdBefore: number | null
  /** A part of the title or of the URL, whatever the case. */
  text: string | null
  /** The key that has started the job. null: any. */
  keyId: string | null
}

export const everyJob: JobFilter = {
  kind: null,
  state: null,
  metadata: {},
  createdFrom: null,
  createdBefore: null,
  text: null,
  keyId: null,
}

/** What a list knows of a job. */
interface FilteredJob {
  kind: JobKind
  state: JobState
  url: string | null
  title: string | null
  createdAt: number
  metadata?: JobMetadata
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

/** Where `text` of a filter is looked for. */
export const searchedText = ({ title, url }: Pick<FilteredJob, 'title' | 'url'>): string =>
  searched(`${title ?? ''}\n${url ?? ''}`)
