/** What the API answers, as far as the console looks at it. */
export interface Account {
  name: string
  availableDollars: number
  heldDollars: number
  limits: {
    requestsPerHour: { import: number }
    concurrentJobs: { import: number; transcription: number }
  }
}

export interface Job {
  jobId: string
  type: 'import' | 'transcription'
  status: 'queued' | 'running' | 'failed' | 'completed'
  /** null: the source is an import or an upload. */
  url: string | null
  importId?: string
  uploadId?: string
  createdAt: string
  startedAt?: string | null
  completedAt?: string | null
  removedAt?: string | null
  progress?: Progress
  message?: string
  code?: string | null
  retryable?: boolean
  quote?: { estimatedMinutes: number; estimatedCostDollars: number; estimated?: boolean }
  result?: Result
  /** Only in the list. */
  title?: string | null
  costInDollars?: number | null
}

export interface Progress {
  stage: string
  percent: number | null
  downloadedBytes: number
  totalBytes: number | null
  bytesPerSecond: number | null
  etaSeconds: number | null
}

/** Of an import or of a transcription. */
export interface Result {
  duration: number
  costInDollars: number
  mediaUrl?: string
  title?: string
  thumbnailUrl?: string | null
  fileSizeBytes?: number
  filename?: string
  contentType?: string
  width?: number | null
  height?: number | null
  videoCodec?: string | null
  expiresAt?: string
  message?: string
  s3Storage?: { bucket: string; key: string }
  language?: string
  source?: string
  text?: string
  data?: { segments: Segment[] }
}

export interface Segment {
  start: number
  end: number
  text: string
  speaker?: string
  words?: { start: number; end: number; text: string }[]
}

/** The JSON file of a transcript. */
export interface Transcript {
  segments: Segment[]
  wordsAvailable?: boolean
  chapters?: { title: string; start: number; end: number }[]
}

export interface Batch {
  batchId: string
  kind: 'import' | 'transcription'
  status: 'queued' | 'running' | 'completed' | 'canceled' | 'failed'
  title: string | null
  createdAt: string
  counts: {
    total: number | null
    waiting: number
    running: number
    completed: number
    failed: number
    skipped: number
  }
  costInDollars: number
  maxCostDollars: number | null
  code?: string
  message?: string
}

/** Of the stream of all events. */
export interface AccountEvent {
  type: string
  timestamp: string
  data: Job | Batch
}

export interface BatchItem {
  index: number
  url: string
  title: string | null
  jobId: string | null
  status: string
  code: string | null
  message: string | null
  costInDollars: number | null
}

/** Of a playlist. */
export interface PlaylistMetadata {
  isPlaylist: true
  title: string | null
  count: number | null
  entries: { url: string; title: string | null; duration: number | null }[]
}

export interface Metadata {
  isPlaylist?: false
  durationIsEstimate?: boolean
  title: string
  duration: number | null
  platform: string
  isLive: boolean
  direct: boolean
  formats: Format[]
  captions: { language: string; kind: 'manual' | 'automatic' }[]
  estimate: {
    imports: Price[]
    transcription: {
      platformCaptions: number | null
      builtin: number | null
      provider: number | null
      audioDownload: number | null
    }
  }
}

export interface Format {
  quality: string
  container: string
  videoCodec: string | null
  audioCodec: string | null
  bitrate: number | null
  sizeBytes: number | null
  sizeIsEstimate: boolean
}

export interface Price {
  includeVideo: boolean
  videoQuality: string
  downloadBytes: number | null
  costInDollars: number | null
  isEstimate: boolean
}

/** What may be done with a job; the desk does it. */
export interface CardActions {
  play(): void
  read(): void
  copy(): void
  download(): void
  save(format: string): void
  /** `isStored`: of the imported file, without another download. */
  transcribe(provider: string, isStored: boolean): void
  again(): void
  cancel(): void
  remove(): void
}
