/** What the endpoints for operators answer, as far as the page looks at it. */
export interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

export interface Places {
  total: number
  taken: number
}

export interface Engine {
  name: string
  state: 'starting' | 'running' | 'draining'
  places: { network: Places; cpu: Places }
  disk: { totalBytes: number; reservedBytes: number }
}

export interface WaitingSteps {
  step: string
  count: number
  oldestSeconds: number
}

/** How many jobs of a source ended in an hour, with one outcome and code. */
export interface OutcomeCount {
  /** The start of the hour, ISO 8601. */
  hour: string
  source: string
  kind: string
  outcome: Outcome
  /** Empty for completed jobs. */
  code: string
  count: number
}

export type Outcome = 'completed' | 'failed' | 'canceled'

export interface DeadDelivery {
  accountId: string
  deliveryId: string
  jobId: string | null
  type: string
  host: string
  attempts: number
  status: number | null
  failedAt: string
}

export interface ListedAccount {
  accountId: string
  name: string
  createdAt: string
  suspended: boolean
}

export interface OperatorAccount extends ListedAccount {
  balanceDollars: number
  heldDollars: number
  availableDollars: number
  limits: {
    requestsPerHour: { import: number; transcribe: number; status: number; general: number }
    concurrentJobs: { import: number; transcription: number }
    freeWork: { engineSecondsPerHour: number; bytesPerHour: number }
    uploadBytes: number
  }
  liveJobs: number
  lastUsedAt: string | null
}

/** The latest answer of each endpoint; undefined before the first. */
export interface Snapshot {
  samples?: Sample[] | undefined
  fleet?: { engines: Engine[]; waiting: WaitingSteps[] } | undefined
  outcomes?: OutcomeCount[] | undefined
  deliveries?: DeadDelivery[] | undefined
}
