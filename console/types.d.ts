/** What the API answers, from its OpenAPI document, and what the console makes of it. Types only: nothing is imported at run time. */
import type {
  Batch,
  ImportResult,
  JobInList,
  Quote,
  SourceMetadata,
  TranscriptionResult,
} from '../client/src/api-types.ts'
import type { components } from '../client/src/openapi.ts'

export type {
  Account,
  Batch,
  BatchItem,
  PlaylistMetadata,
  Segment,
  SourceMetadata as Metadata,
} from '../client/src/api-types.ts'

export type { Quote }

export type ApiKey = components['schemas']['Key']
export type Scope = ApiKey['scopes'][number]

export type Format = SourceMetadata['formats'][number]

/** What is known of a job: the list, an event and a status read each tell a part. */
export interface Job extends Pick<JobInList, 'jobId' | 'type' | 'status' | 'url' | 'createdAt'> {
  importId?: string
  uploadId?: string
  startedAt?: string | null
  removedAt?: string | null
  progress?: components['schemas']['JobProgress']
  message?: string | undefined
  code?: string | null
  quote?: Quote
  result?: Result
  /** The list has these two. */
  title?: string | null
  costInDollars?: number | null
}

/** The result of an import or of a transcription. */
export type Result = Pick<ImportResult, 'duration' | 'costInDollars'> &
  Partial<Omit<ImportResult, 'title'>> &
  Partial<Omit<TranscriptionResult, 'title'>> & { title?: string | null }

export type Chapter = components['schemas']['Chapter']

/** What of a transcript goes into a file. Formats that cannot have it leave it out. */
export interface FileChoice {
  format: string
  speakers: boolean
  chapters: boolean
}

/** The JSON file of a transcript. */
export type Transcript = Pick<TranscriptionResult, 'chapters'> & { segments: components['schemas']['Segment'][] }

/** An event in the stream of the account. */
export interface AccountEvent {
  type: string
  data: Job | Batch
}

/** What the buttons of a job do. */
export interface CardActions {
  play(): void
  read(): void
  copy(): void
  download(): void
  /** Shows the formats of a transcript. */
  export(): void
  /** Fills the form in. `isStored`: with the imported file, without another download. */
  transcribe(values: Record<string, string>, isStored: boolean): void
  again(): void
  cancel(): void
  remove(): void
}
