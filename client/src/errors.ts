import type { FailureCode, Quote, TranscriptionStatus } from './api-types.ts'

/** All errors that this package throws, apart from the reason of an aborted signal and wrong arguments. */
export class HaulError extends Error {
  override readonly name: string = 'HaulError'
}

export interface Refusal {
  error: string
  code: string
  requestId: string | null
  details?: { path: string; message: string }[]
  [fact: string]: unknown
}

/** The service has refused the request. */
export class HaulApiError extends HaulError {
  override readonly name = 'HaulApiError'
  /** The HTTP status. */
  declare readonly status: number
  /** `INVALID_REQUEST`, `INSUFFICIENT_BALANCE`, `RATE_LIMITED` and so on. */
  declare readonly code: string
  /** Name it when you ask the operator of the service about this error. */
  declare readonly requestId: string | null
  /** Says with `INVALID_REQUEST` what is wrong with which field. */
  declare readonly details: { path: string; message: string }[]
  /** Both are set with `INSUFFICIENT_BALANCE`. */
  declare readonly requiredDollars: number | undefined
  declare readonly availableDollars: number | undefined
  /** Says with 429 and 503 after how many seconds the request may succeed. */
  declare readonly retryAfter: number | undefined
  /** The whole body of the response. */
  declare readonly body: Refusal

  constructor(status: number, body: Refusal) {
    super(body.error)
    const { code, requestId, details = [], requiredDollars, availableDollars, retryAfter } = body
    Object.assign(this, { status, body, code, requestId, details, requiredDollars, availableDollars, retryAfter })
  }
}

/** The job has failed, or was canceled. It was not charged. */
export class HaulJobError extends HaulError {
  override readonly name = 'HaulJobError'
  declare readonly jobId: string
  /** `SOURCE_UNREACHABLE`, `NO_AUDIO`, `CANCELED` and so on. */
  declare readonly code: FailureCode
  /** Whether the same request can succeed later. */
  declare readonly retryable: boolean
  /** What a transcription with `builtin` would cost, where the code asks for a provider or a higher `maxCostDollars`. */
  declare readonly quote: Quote | undefined

  constructor(job: Pick<TranscriptionStatus, 'jobId' | 'message' | 'code' | 'retryable' | 'quote'>) {
    super(job.message ?? 'The job has failed.')
    const { jobId, code = 'INTERNAL', retryable = false, quote } = job
    Object.assign(this, { jobId, code, retryable, quote })
  }
}

/** `timeoutMs` has passed. The job, if it was started, goes on. */
export class HaulTimeoutError extends HaulError {
  override readonly name = 'HaulTimeoutError'
  /** undefined: the call timed out before it had started a job. */
  declare readonly jobId: string | undefined

  constructor(timeoutMs: number, jobId?: string) {
    super(`The call did not end within ${timeoutMs} ms.`)
    this.jobId = jobId
  }
}

/** The service could not be reached, and the retries are used up. */
export class HaulConnectionError extends HaulError {
  override readonly name = 'HaulConnectionError'
}

/** A webhook that Haul did not send, or that is too old. */
export class HaulWebhookError extends HaulError {
  override readonly name = 'HaulWebhookError'
}
