import type { components, operations, webhooks } from './openapi.ts'

/** Names for the schemas of the OpenAPI document, as they appear in this package's signatures. */
type Schemas = components['schemas']

export type Account = Schemas['Account']
export type Batch = Schemas['Batch']
export type BatchItem = Schemas['BatchItem']
export type BatchRequest = Schemas['BatchRequest']
export type ImportJob = Schemas['ImportJob']
export type ImportRequest = Schemas['ImportRequest']
export type ImportResult = Schemas['ImportResult']
export type ImportStatus = Schemas['ImportStatus']
export type Job = Schemas['Job']
export type JobFile = Schemas['JobFile']
export type JobInList = Schemas['JobInList']
export type Key = Schemas['Key']
export type MadeKey = Schemas['MadeKey']
export type Metadata = SourceMetadata | PlaylistMetadata
export type Model = Schemas['Model']
export type PendingUpload = Schemas['PendingUpload']
export type PlaylistMetadata = Schemas['PlaylistMetadata'] & { isPlaylist: true }
export type Quote = Schemas['Quote']
export type ReadyUpload = Schemas['ReadyUpload']
export type RemovedUpload = Schemas['RemovedUpload']
export type SearchResult = Schemas['SearchResult']
export type Segment = Schemas['Segment']
export type SourceMetadata = Schemas['SourceMetadata'] & { isPlaylist: false }
export type StartedBatch = Schemas['StartedBatch']
export type StartedJob = Schemas['StartedJob']
export type StartedWatch = Schemas['StartedWatch']
export type TranscribeRequest = Schemas['TranscribeRequest']
export type TranscriptionJob = Schemas['TranscriptionJob']
export type TranscriptionResult = Schemas['TranscriptionResult']
export type TranscriptionStatus = Schemas['TranscriptionStatus']
export type Watch = Schemas['Watch']
export type WatchChanges = Schemas['WatchChanges']
export type WatchItem = Schemas['WatchItem']
export type WatchRequest = Schemas['WatchRequest']
export type WebhookSecret = Schemas['WebhookSecret']
export type Word = Schemas['Word']

/** The result of a completed job, with its id. Only a transcript that was removed has no text, and then the call rejects. */
export type Finished<Result> = Result extends unknown
  ? Result & Required<Pick<Result, keyof Result & ('text' | 'data')>> & { jobId: string }
  : never

/** Why a job failed: `SOURCE_UNREACHABLE`, `NO_AUDIO` and so on. */
export type FailureCode = NonNullable<ImportStatus['code']>

type Query<Name extends keyof operations> = NonNullable<operations[Name]['parameters']['query']>

export type JobFilter = Omit<Query<'listJobs'>, 'cursor' | 'limit'>
export type BatchFilter = Omit<Query<'listBatches'>, 'cursor' | 'limit'>
export type BatchItemFilter = Omit<Query<'listBatchItems'>, 'cursor' | 'limit'>
export type SearchFilter = Omit<Query<'search'>, 'q' | 'cursor' | 'limit'>
export type WatchItemFilter = Omit<Query<'listWatchItems'>, 'cursor' | 'limit'>
export type TranscriptFormat = NonNullable<Query<'getTranscript'>['format']>

type Body<Name extends 'createKey' | 'updateAccount' | 'updateKey'> =
  operations[Name]['requestBody']['content']['application/json']

/** Without `scopes` a key has all of them. Only a full key makes keys: with all scopes, and no budget, expiry or origins. */
export type NewKey = Body<'createKey'>
export type KeyChanges = Body<'updateKey'>
export type AccountChanges = Body<'updateAccount'>

type BodyOf<Webhook> = Webhook extends { post: { requestBody: { content: { 'application/json': infer Body } } } }
  ? Body
  : never

/** What Haul sends to a `webhookUrl`. Its `type` says what `data` is. */
export type WebhookEvent = { [Type in keyof webhooks]: BodyOf<webhooks[Type]> }[keyof webhooks]

type OfJob = 'data' | 'text' | 'extractor' | 'extractorVersion' | 'costInDollars' | 'downloadCostInDollars'

/** A transcript as JSON: the segments have words and speakers where there are any. */
export interface Transcript extends Omit<TranscriptionResult, OfJob> {
  text: string
  segments: Segment[]
}
