import type { Batch, ImportRequest, TranscribeRequest } from './api-types.ts'

export interface HaulOptions {
  /** Default: the environment variable `HAUL_API_KEY`. */
  apiKey?: string | undefined
  /** The address of the service. Default: the environment variable `HAUL_URL`. */
  baseUrl?: string | undefined
  /** Used for every request. Default: the global `fetch`. */
  fetch?: typeof fetch | undefined
  /** How often a request is tried again after a connection fault or a 5xx response. Default: 5. */
  maxRetries?: number | undefined
  /**
   * How long a request waits in all while the service answers 429 or 503, with the pauses of its `Retry-After`.
   * After that the refusal is thrown, and at once if `Retry-After` is longer. Default: ten minutes.
   */
  maxBusyMs?: number | undefined
}

export interface CallOptions {
  /** Aborting it stops the call, which rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /** The call rejects with a `HaulTimeoutError` after this time. Default: none. */
  timeoutMs?: number | undefined
}

/** How far a job, an upload or a batch is. */
export interface Progress {
  /** `queued`, `resolving`, `downloading`, `processing`, `uploading`, `recognizing` or `delivering`. */
  stage: string
  /** 0 to 100. null if it is unknown. */
  percent: number | null
  bytesPerSecond: number | null
  etaSeconds: number | null
}

export interface ProgressOptions {
  /** Called whenever the progress changes. */
  onProgress?: ((progress: Progress) => void) | undefined
}

export interface StartOptions extends CallOptions {
  /** A start that is repeated with the same key within 24 hours starts nothing new. Default: a random one. */
  idempotencyKey?: string | undefined
}

export interface WaitOptions extends CallOptions, ProgressOptions {
  /** Aborting `signal` also cancels the job. The call rejects when that is done. */
  cancelOnAbort?: boolean | undefined
}

export interface BatchWaitOptions extends CallOptions, ProgressOptions {
  /** Called with the batch as it is, and after each change. */
  onChange?: ((batch: Batch) => void) | undefined
}

/** How a start is sent, and how its end is awaited. */
export interface JobOptions extends StartOptions, WaitOptions {
  /** false: resolves with `{jobId, …}` as soon as the job is queued. */
  wait?: boolean | undefined
}

/** The fields of `POST /import` without `url`. */
export interface ImportOptions extends Omit<ImportRequest, 'url'>, JobOptions {}

/** The fields of `POST /transcribe` without the source. */
export interface TranscribeOptions extends Omit<TranscribeRequest, 'url' | 'importId' | 'uploadId'>, JobOptions {}

/** A file: its path in Node, Bun and Deno, or a Blob or File anywhere. Node itself cannot slice a Blob of 4 GiB. */
export type FileSource = string | Blob

/** What is transcribed: a URL, the media of an earlier import, a file, or an upload. */
export type Source =
  | string
  | URL
  | { url: string | URL }
  | { importId: string }
  | { file: FileSource }
  | { uploadId: string }

export interface UploadOptions extends CallOptions, ProgressOptions {
  /** Its name without the extension becomes the title. Default: the name of the file. */
  filename?: string | undefined
  /** Not needed: the service looks at the bytes. */
  contentType?: string | undefined
}

export interface ListOptions extends CallOptions {
  /** The most entries that are yielded. Default: all. */
  limit?: number | undefined
}

export interface TranscriptOptions extends CallOptions {
  /** Names before lines in txt, md, srt and vtt. json and tsv always have the speakers. */
  speakers?: boolean | undefined
  /** The titles of chapters as headings in txt and md. */
  chapters?: boolean | undefined
  /** The most characters of a line in srt and vtt, 20 to 100. Default: 42. */
  maxLineChars?: number | undefined
  /** The most lines of a subtitle in srt and vtt, 1 to 3. Default: 2. */
  maxLines?: number | undefined
}

/** An object is sent as several parameters: `{metadata: {show: 'news'}}` as `metadata.show=news`. */
export type RequestQuery = Record<string, string | number | boolean | Record<string, string> | undefined>

export interface RequestOptions extends CallOptions {
  query?: RequestQuery | undefined
  body?: unknown
  /** Without one, a POST is not repeated after a connection fault. */
  idempotencyKey?: string | undefined
}
