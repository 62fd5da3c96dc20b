import type {
  Account,
  Finished,
  ImportResult,
  Metadata,
  StartedJob,
  Transcript,
  TranscriptFormat,
  TranscriptionResult,
} from './api-types.ts'
import { Batches } from './batches.ts'
import type { EventsOptions, HaulEvent } from './events.ts'
import { Jobs } from './jobs.ts'
import type {
  CallOptions,
  HaulOptions,
  ImportOptions,
  Source,
  TranscribeOptions,
  TranscriptOptions,
} from './options.ts'
import { Uploads } from './uploads.ts'
import { Webhooks } from './webhooks.ts'

export interface RequestOptions extends CallOptions {
  query?: Record<string, string | number | boolean | undefined> | undefined
  body?: unknown
  idempotencyKey?: string | undefined
}

/**
 * A client of one account of a Haul service.
 *
 * ```ts
 * const haul = new Haul({ apiKey: 'haul_…', baseUrl: 'https://haul.example.com' })
 * const { text } = await haul.transcribe('https://example.com/talk')
 * ```
 */
export class Haul {
  readonly batches: Batches
  readonly jobs: Jobs
  readonly uploads: Uploads
  readonly webhooks: Webhooks

  constructor(_options: HaulOptions = {}) {
    this.batches = new Batches()
    this.jobs = new Jobs()
    this.uploads = new Uploads()
    this.webhooks = new Webhooks()
  }

  /**
   * Imports the media of a URL, and resolves when the file is stored.
   *
   * ```ts
   * const { mediaUrl } = await haul.import('https://example.com/film', {
   *   videoQuality: '720p',
   *   onProgress: ({ stage, percent }) => console.log(stage, percent),
   * })
   * ```
   */
  import(url: string | URL, options: ImportOptions & { wait: false }): Promise<StartedJob>
  import(url: string | URL, options?: ImportOptions & { wait?: true | undefined }): Promise<Finished<ImportResult>>
  import(_url: string | URL, _options?: ImportOptions): Promise<StartedJob | Finished<ImportResult>> {
    throw new Error('not implemented')
  }

  /**
   * Transcribes media, and resolves when the transcript is there. Without a `provider` it takes existing captions.
   *
   * ```ts
   * const { text } = await haul.transcribe({ file: 'interview.mp3' }, { provider: 'builtin', maxCostDollars: 0.5 })
   * ```
   */
  transcribe(source: Source, options: TranscribeOptions & { wait: false }): Promise<StartedJob>
  transcribe(
    source: Source,
    options?: TranscribeOptions & { wait?: true | undefined },
  ): Promise<Finished<TranscriptionResult>>
  transcribe(_source: Source, _options?: TranscribeOptions): Promise<StartedJob | Finished<TranscriptionResult>> {
    throw new Error('not implemented')
  }

  /** Sizes, formats, captions and prices of a source, or the entries of a playlist. Free of charge. */
  metadata(_url: string | URL, _options?: CallOptions): Promise<Metadata> {
    throw new Error('not implemented')
  }

  /** The balance and the limits of the account. */
  account(_options?: CallOptions): Promise<Account> {
    throw new Error('not implemented')
  }

  /** The transcript of a completed transcription: an object for `json`, else the text of the file. */
  transcript(jobId: string, format: 'json', options?: TranscriptOptions): Promise<Transcript>
  transcript(jobId: string, format: Exclude<TranscriptFormat, 'json'>, options?: TranscriptOptions): Promise<string>
  transcript(jobId: string, format: TranscriptFormat, options?: TranscriptOptions): Promise<Transcript | string>
  transcript(_jobId: string, _format: TranscriptFormat, _options?: TranscriptOptions): Promise<Transcript | string> {
    throw new Error('not implemented')
  }

  /**
   * The events of all jobs and batches of the account as they happen. Reconnects without a gap, and ends only when
   * the loop is left or `signal` is aborted.
   *
   * ```ts
   * for await (const { type, data } of haul.events()) console.log(type, data)
   * ```
   */
  events(_options?: EventsOptions): AsyncIterableIterator<HaulEvent> {
    throw new Error('not implemented')
  }

  /** Sends a request to an endpoint that has no method here, with retries, and resolves with its `data`. */
  request<Data>(_method: string, _path: string, _options?: RequestOptions): Promise<Data> {
    throw new Error('not implemented')
  }
}
