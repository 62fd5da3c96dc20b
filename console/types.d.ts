/** What the API answers, from its OpenAPI document, and what the console makes of it. Types only: nothing is imported at run time. */
import type { ImportResult, JobInList, Quote, SourceMetadata, TranscriptionResult } from '../client/src/api-types.ts'
import type { components, operations } from '../client/src/openapi.ts'
import type { StartField } from '../domain/options/start-form.ts'

export type {
  Account,
  Batch,
  BatchItem,
  Model,
  PlaylistMetadata,
  SearchResult,
  Segment,
  SourceMetadata as Metadata,
  Watch,
  WatchItem,
} from '../client/src/api-types.ts'

export type { Quote, StartField }

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

/** A file of a job, in one format, or why there is none. */
export type JobFile = components['schemas']['JobFile']

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

/** What the buttons of a job do. */
export interface CardActions {
  play(): void
  read(): void
  copy(): void
  download(): void
  /** Shows the files of the job. */
  files(): void
  /** Shows the formats of a transcript. */
  export(): void
  /** Fills the form in. `isStored`: with the imported file, without another download. */
  transcribe(values: Record<string, string>, isStored: boolean): void
  again(): void
  cancel(): void
  remove(): void
}

/** What the endpoints for operators answer. */
type DataOf<Name extends keyof operations> = operations[Name] extends {
  responses: { 200: { content: { 'application/json': { data: infer Data } } } }
}
  ? Data
  : never

export type Sample = DataOf<'adminGetMetrics'>['samples'][number]
type Fleet = DataOf<'adminListEngines'>
export type Engine = Fleet['engines'][number]
export type WaitingSteps = Fleet['waiting'][number]
/** How many jobs of a source ended in an hour, with one outcome and code. */
export type OutcomeCount = DataOf<'adminListOutcomes'>['outcomes'][number]
export type Outcome = OutcomeCount['outcome']
export type DeadDelivery = DataOf<'adminListDeadDeliveries'>['deliveries'][number]
export type ListedAccount = DataOf<'adminListAccounts'>['accounts'][number]
export type OperatorAccount = DataOf<'adminGetAccount'>

/** What is known of the fleet; undefined before the first answer. */
export interface Snapshot {
  samples?: Sample[] | undefined
  engines?: Engine[] | undefined
  outcomes?: OutcomeCount[] | undefined
}
