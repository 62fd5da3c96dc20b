import type {
  Account,
  AccountChanges,
  Finished,
  ImportResult,
  Metadata,
  Model,
  SearchFilter,
  SearchResult,
  StartedJob,
  Transcript,
  TranscriptFormat,
  TranscriptionResult,
} from './api-types.ts'
import { Batches } from './batches.ts'
import { type EventsOptions, type HaulEvent, readAccountEvents } from './events.ts'
import { type Call, withinCall } from './http/call.ts'
import { Connection, entriesOf } from './http/connection.ts'
import { Jobs, runJob } from './jobs/jobs.ts'
import { Keys } from './keys.ts'
import type {
  CallOptions,
  HaulOptions,
  ImportOptions,
  JobOptions,
  ListOptions,
  RequestOptions,
  Source,
  TranscribeOptions,
  TranscriptOptions,
} from './options.ts'
import { sendFile, Uploads } from './upload/uploads.ts'
import { Watches } from './watches.ts'
import { Webhooks } from './webhooks.ts'

/** The largest page of search that the service returns. */
const MAX_SEARCH_PAGE = 50

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
  readonly keys: Keys
  readonly uploads: Uploads
  readonly watches: Watches
  readonly webhooks: Webhooks
  readonly #connection: Connection

  constructor(options: HaulOptions = {}) {
    this.#connection = new Connection(options)
    this.batches = new Batches(this.#connection)
    this.jobs = new Jobs(this.#connection)
    this.keys = new Keys(this.#connection)
    this.uploads = new Uploads(this.#connection)
    this.watches = new Watches(this.#connection)
    this.webhooks = new Webhooks(this.#connection)
  }

  /**
   * Imports the media of a URL, and resolves when the file is stored, with all `files` that were asked for beside it.
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
  import(url: string | URL, options?: ImportOptions): Promise<StartedJob | Finished<ImportResult>>
  import(url: string | URL, options: ImportOptions = {}): Promise<StartedJob | Finished<ImportResult>> {
    const start = { path: '/import', body: { ...fieldsOf(options), url: `${url}` } } as const
    return withinCall(options, (call) => runJob(this.#connection, call, start, options)) as Promise<
      Finished<ImportResult>
    >
  }

  /**
   * Transcribes media, and resolves when the transcript is there. Without `mode` and `provider` it takes existing
   * captions. A `file` is uploaded first.
   *
   * ```ts
   * const { text } = await haul.transcribe({ file: 'interview.mp3' }, { mode: 'auto', maxCostDollars: 0.5 })
   * ```
   */
  transcribe(source: Source, options: TranscribeOptions & { wait: false }): Promise<StartedJob>
  transcribe(
    source: Source,
    options?: TranscribeOptions & { wait?: true | undefined },
  ): Promise<Finished<TranscriptionResult>>
  transcribe(source: Source, options?: TranscribeOptions): Promise<StartedJob | Finished<TranscriptionResult>>
  transcribe(source: Source, options: TranscribeOptions = {}): Promise<StartedJob | Finished<TranscriptionResult>> {
    return withinCall(options, async (call) => {
      const body = { ...fieldsOf(options), ...(await this.#send(source, call, options)) }
      return runJob(this.#connection, call, { path: '/transcribe', body }, options)
    }) as Promise<Finished<TranscriptionResult>>
  }

  /** The fields of the request that name the source. A file is uploaded. */
  async #send(source: Source, call: Call, options: JobOptions): Promise<object> {
    if (typeof source === 'string' || source instanceof URL) return { url: `${source}` }
    if (!('file' in source)) return source
    const { uploadId } = await sendFile(this.#connection, call, source.file, options)
    return { uploadId }
  }

  /** Sizes, formats, captions and prices of a source, or the entries of a playlist. Free of charge. */
  metadata(url: string | URL, options: CallOptions = {}): Promise<Metadata> {
    return this.#connection.call(options, { path: '/metadata', query: { url: `${url}` } })
  }

  /** The balance, the prices and the limits of the account. */
  account(options: CallOptions = {}): Promise<Account> {
    return this.#connection.call(options, { path: '/account' })
  }

  /** The models of the built-in engine: what each can do, and what it costs. */
  async models(options: CallOptions = {}): Promise<Model[]> {
    const { models } = await this.#connection.call<{ models: Model[] }>(options, { path: '/models' })
    return models
  }

  /** `index: false` empties the index, so that nothing is found. After `index: true`, `rebuildSearch` brings earlier words back. */
  updateAccount(changes: AccountChanges, options: CallOptions = {}): Promise<AccountChanges> {
    return this.#connection.call(options, { method: 'PATCH', path: '/account', body: changes })
  }

  /**
   * Where words were said, in the transcripts, captions and titles of the account, the best passages first. All words of `q`
   * must be in a passage. `"a phrase"`, `word*` and `-word` narrow it.
   *
   * ```ts
   * for await (const { title, start, snippet, link } of haul.search('"lease expires" renew*', { limit: 10 }))
   *   console.log(title, start, snippet, link)
   * ```
   */
  search(q: string, options: SearchFilter & ListOptions = {}): AsyncIterableIterator<SearchResult> {
    const query = { ...options, q }
    return entriesOf(this.#connection, '/search', 'results', query, MAX_SEARCH_PAGE)
  }

  /** Brings back the words of earlier jobs that are still stored. Jobs that were started with `index: false` stay out. */
  rebuildSearch(options: CallOptions = {}): Promise<{ status: 'rebuilding' }> {
    return this.#connection.call(options, { method: 'POST', path: '/search/rebuild', isRepeatable: true })
  }

  /** The transcript of a completed transcription, or of an import with words: an object for `json`, else the text of the file. */
  transcript(jobId: string, format: 'json', options?: TranscriptOptions): Promise<Transcript>
  transcript(jobId: string, format: Exclude<TranscriptFormat, 'json'>, options?: TranscriptOptions): Promise<string>
  transcript(jobId: string, format: TranscriptFormat, options?: TranscriptOptions): Promise<Transcript | string>
  transcript(
    jobId: string,
    format: TranscriptFormat,
    { speakers, chapters, maxLineChars, maxLines, ...options }: TranscriptOptions = {},
  ): Promise<Transcript | string> {
    const layout = { speakers: flag(speakers), chapters: flag(chapters), maxLineChars, maxLines }
    const request = { path: '/transcribe/transcript', query: { id: jobId, format, ...layout } }
    return withinCall(options, async (call) => {
      const text = await this.#connection.text(call, request)
      return format === 'json' ? JSON.parse(text) : text
    })
  }

  /**
   * The events of all jobs, batches and watches of the account as they happen. Once it is connected, it connects again whenever
   * the connection breaks, and continues after the last event. Leave the loop or abort `signal` to end it.
   *
   * ```ts
   * for await (const { type, data } of haul.events()) console.log(type, data)
   * ```
   */
  events(options: EventsOptions = {}): AsyncIterableIterator<HaulEvent> {
    return readAccountEvents(this.#connection, options)
  }

  /** Sends a request to an endpoint that has no method here, with retries, and resolves with its `data`. */
  request<Data>(
    method: string,
    path: string,
    { query, body, idempotencyKey, ...options }: RequestOptions = {},
  ): Promise<Data> {
    return this.#connection.call(options, { method, path, query, body, idempotencyKey })
  }
}

const flag = (value: boolean | undefined): 1 | undefined => (value ? 1 : undefined)

/** What is left without the options of this package are the fields of the request. */
const fieldsOf = (options: JobOptions): object => {
  const { wait, cancelOnAbort, idempotencyKey, onProgress, signal, timeoutMs, ...fields } = options
  return fields
}
