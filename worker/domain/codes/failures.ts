import type { Micros } from '../money/money.ts'

/** Why a job can't be done. Callers see the code, the sentence and `retryable`; a failed job is never charged. */
export const failures = {
  SOURCE_UNREACHABLE: { message: 'The source could not be reached.', retryable: true },
  SOURCE_NOT_FOUND: { message: 'There is no media at this URL.', retryable: false },
  SOURCE_UNSUPPORTED: { message: 'This kind of source is not supported.', retryable: false },
  SOURCE_PRIVATE: { message: 'The media is private or needs a login.', retryable: false },
  SOURCE_AGE_RESTRICTED: { message: 'The media is age-restricted.', retryable: false },
  SOURCE_REGION_BLOCKED: { message: 'The media is not available in this region.', retryable: false },
  SOURCE_LIVE: { message: 'The source is a live stream. Try again when it has ended.', retryable: true },
  SOURCE_DRM: { message: 'The media is protected by DRM.', retryable: false },
  SOURCE_RATE_LIMITED: { message: 'The source asks for fewer requests. Try again later.', retryable: true },
  SOURCE_BLOCKED: { message: 'The source refused to serve the media.', retryable: true },
  SOURCE_TRUNCATED: { message: 'The source ended before all of the media had arrived.', retryable: true },
  NO_AUDIO: { message: 'The media has no audio.', retryable: false },
  NO_VIDEO: { message: 'The media has no video.', retryable: false },
  MEDIA_TOO_LARGE: { message: 'The media is larger than the service accepts.', retryable: false },
  MEDIA_TOO_LONG: { message: 'The media is longer than the service accepts.', retryable: false },
  INSUFFICIENT_BALANCE: { message: 'The account balance does not cover the media.', retryable: false },
  STORAGE_FAILED: { message: 'The bucket did not accept the file.', retryable: true },
  TIMED_OUT: { message: 'The job took too long.', retryable: true },
  CANCELED: { message: 'The job was canceled.', retryable: false },
  INTERNAL: { message: 'Something went wrong on our side.', retryable: true },
  TRANSCRIPTION_PROVIDER_REQUIRED: {
    message: 'The media has no captions. Send the request again with a provider.',
    retryable: false,
  },
  MAX_COST_REQUIRED: {
    message: 'The duration cannot be determined up front. Send maxCostDollars.',
    retryable: false,
  },
  MAX_COST_EXCEEDED: { message: 'The estimated cost is above maxCostDollars.', retryable: false },
  PROVIDER_KEY_REJECTED: { message: 'The provider rejected the key.', retryable: false },
  PROVIDER_QUOTA: { message: 'The account at the provider has no credit left.', retryable: false },
  PROVIDER_RATE_LIMITED: { message: 'The provider asks for fewer requests. Try again later.', retryable: true },
  PROVIDER_FAILED: { message: 'The provider could not transcribe the media.', retryable: true },
  SPEECH_UNAVAILABLE: { message: 'The built-in speech engine is not available. Try again later.', retryable: true },
  NO_SPEECH: { message: 'No speech was found in the media.', retryable: false },
} as const satisfies Record<string, { message: string; retryable: boolean }>

export type FailureCode = keyof typeof failures
export const failureCodes = Object.keys(failures) as [FailureCode, ...FailureCode[]]

/** What the built-in route would cost, told where the caller has to decide. */
export interface Quote {
  seconds: number
  costMicros: Micros
}

/** A job's end that is not a result. `message` may say more than the table's sentence. */
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

/** With a quote where one can be made. */
export const quoted = (reason: Failure, quote: Quote | null): Failure => (quote ? { ...reason, quote } : reason)
