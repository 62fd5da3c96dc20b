import type { Micros } from '../money/money.ts'

/** Reasons why a job fails. Callers see the code, the message and `retryable`. A failed job is never charged. */
export const failures = {
  SOURCE_UNREACHABLE: { message: 'The source could not be reached.', retryable: true },
  SOURCE_NOT_FOUND: { message: 'No media was found at this URL.', retryable: false },
  SOURCE_UNSUPPORTED: { message: 'This source is not supported.', retryable: false },
  SOURCE_PRIVATE: { message: 'The media is private or requires a login.', retryable: false },
  SOURCE_AGE_RESTRICTED: { message: 'The media is age-restricted.', retryable: false },
  SOURCE_REGION_BLOCKED: { message: 'The media is not available in this region.', retryable: false },
  SOURCE_LIVE: { message: 'The source is a live stream. Try again after it has ended.', retryable: true },
  SOURCE_DRM: { message: 'The media is protected by DRM.', retryable: false },
  SOURCE_RATE_LIMITED: { message: 'The source is rate-limiting us. Try again later.', retryable: true },
  SOURCE_BLOCKED: { message: 'The source refused to serve the media.', retryable: true },
  SOURCE_TRUNCATED: { message: 'The download from the source ended early.', retryable: true },
  NO_AUDIO: { message: 'The media has no audio.', retryable: false },
  NO_VIDEO: { message: 'The media has no video.', retryable: false },
  MEDIA_TOO_LARGE: { message: 'The media exceeds the maximum size.', retryable: false },
  MEDIA_TOO_LONG: { message: 'The media exceeds the maximum duration.', retryable: false },
  INSUFFICIENT_BALANCE: { message: 'The account balance is too low for this media.', retryable: false },
  KEY_BUDGET_EXCEEDED: { message: 'The job would cost more than the budget of its API key allows.', retryable: false },
  STORAGE_FAILED: { message: 'The file could not be stored in the bucket.', retryable: true },
  TIMED_OUT: { message: 'The job timed out.', retryable: true },
  CANCELED: { message: 'The job was canceled.', retryable: false },
  INTERNAL: { message: 'Something went wrong on our side.', retryable: true },
  TRANSCRIPTION_PROVIDER_REQUIRED: {
    message: 'The media has no captions. Send the request again with a provider.',
    retryable: false,
  },
  MAX_COST_REQUIRED: {
    message: 'The duration of the media is unknown. Send the request again with maxCostDollars.',
    retryable: false,
  },
  MAX_COST_EXCEEDED: { message: 'The estimated cost exceeds maxCostDollars.', retryable: false },
  PROVIDER_KEY_REJECTED: { message: 'The provider rejected the API key.', retryable: false },
  PROVIDER_QUOTA: { message: 'The account at the provider is out of credit.', retryable: false },
  PROVIDER_RATE_LIMITED: { message: 'The rate limit of the provider was exceeded. Try again later.', retryable: true },
  PROVIDER_FAILED: { message: 'The provider could not transcribe the media.', retryable: true },
  SPEECH_UNAVAILABLE: { message: 'The built-in speech engine is not available. Try again later.', retryable: true },
  OPTION_UNSUPPORTED: { message: "This service's built-in engine cannot tell who speaks.", retryable: false },
  NO_SPEECH: { message: 'No speech was found in the media.', retryable: false },
  CLIP_OUT_OF_RANGE: { message: 'The clip starts after the end of the media.', retryable: false },
  NO_ITEMS: { message: 'The playlist has no items.', retryable: false },
} as const satisfies Record<string, { message: string; retryable: boolean }>

export type FailureCode = keyof typeof failures
export const failureCodes = Object.keys(failures) as [FailureCode, ...FailureCode[]]

export interface Quote {
  seconds: number
  costMicros: Micros
  /** The seconds are an estimate, because the source does not state its duration. */
  isEstimate?: boolean
}

/** Why a job failed. `message` may be more specific than the one in the table. */
export interface Failure {
  code: FailureCode
  message: string
  retryable: boolean
  quote?: Quote
}

export const failure = (code: FailureCode, message: string = failures[code].message): Failure => ({
  code,
  message,
  retryable: failures[code].retryable,
})

/** Whether the service is the reason, and neither the caller nor the source. */
export const isOurFault = ({ code }: Pick<Failure, 'code'>): boolean =>
  code === 'INTERNAL' || code === 'SPEECH_UNAVAILABLE'

export const withQuote = (reason: Failure, quote: Quote | null): Failure => (quote ? { ...reason, quote } : reason)

/** The failure for a code that the container sent. A newer container may send codes that this Worker does not know. */
export const failureOfCode = (code: string, message?: string): Failure =>
  Object.hasOwn(failures, code) ? failure(code as FailureCode, message) : failure('INTERNAL')
