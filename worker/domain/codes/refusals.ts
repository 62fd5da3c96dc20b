/** What a caller did that we can say no to before any work starts. One place turns these into HTTP. */
export const refusals = {
  INVALID_JSON: { status: 400, message: 'The body is not valid JSON.' },
  INVALID_REQUEST: { status: 400, message: 'The request is not valid.' },
  UNREACHABLE_URL: { status: 400, message: 'The URL could not be reached.' },
  SOURCE_UNREADABLE: { status: 400, message: 'The source could not be read.' },
  PROVIDER_KEY_REQUIRED: {
    status: 400,
    message: 'The provider needs a key: send apiKey, or store one with POST /transcription-provider.',
  },
  STORAGE_NOT_CONFIGURED: { status: 400, message: 'No bucket is configured. Set one with PUT /storage.' },
  STORAGE_UNREACHABLE: { status: 400, message: 'The storage endpoint did not answer.' },
  STORAGE_UNAVAILABLE: { status: 400, message: 'The storage server is busy or broken.' },
  STORAGE_CORRUPTED: { status: 400, message: 'The bucket gave back other bytes than were written.' },
  STORAGE_DENIED: { status: 400, message: 'The bucket denied access.' },
  STORAGE_SIGNATURE: { status: 400, message: 'The secret access key is wrong.' },
  STORAGE_CLOCK: { status: 400, message: 'The clocks of the storage server and of this service disagree.' },
  STORAGE_NO_BUCKET: { status: 400, message: 'There is no such bucket.' },
  STORAGE_REDIRECT: { status: 400, message: 'The bucket lives in another region or at another endpoint.' },
  STORAGE_FULL: { status: 400, message: 'The bucket is full.' },
  STORAGE_REFUSED: { status: 400, message: 'The bucket refused the request.' },
  UNAUTHORIZED: { status: 401, message: 'A valid API key is required: Authorization: Bearer <API_KEY>.' },
  INSUFFICIENT_BALANCE: { status: 402, message: 'The account balance is too low for this job.' },
  SIGNATURE_INVALID: { status: 403, message: 'The link is not valid.' },
  NOT_FOUND: { status: 404, message: 'There is nothing at this address.' },
  JOB_NOT_FOUND: { status: 404, message: 'There is no job with this id.' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'This address does not take this method.' },
  IDEMPOTENCY_IN_PROGRESS: { status: 409, message: 'A request with this Idempotency-Key is still running.' },
  TRANSCRIPT_NOT_READY: { status: 409, message: 'The transcript is not ready yet.' },
  MEDIA_EXPIRED: { status: 410, message: 'The media is no longer stored.' },
  BODY_TOO_LARGE: { status: 413, message: 'The body is larger than 64 KiB.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'Send the body as Content-Type: application/json.' },
  RANGE_NOT_SATISFIABLE: { status: 416, message: 'The range lies outside of the file.' },
  IDEMPOTENCY_MISMATCH: { status: 422, message: 'This Idempotency-Key was used with another body.' },
  RATE_LIMITED: { status: 429, message: 'The rate limit is reached.' },
  CONCURRENCY_LIMITED: { status: 429, message: 'Too many jobs are queued or running.' },
  INTERNAL_ERROR: { status: 500, message: 'Something went wrong on our side. Try again later.' },
} as const satisfies Record<string, { status: number; message: string }>

export type RefusalCode = keyof typeof refusals

/** What a client can act on: details, requiredDollars, limit… */
export type Facts = Record<string, string | number | boolean | { path: string; message: string }[]>

/** Travels as a value, over RPC too, where errors would lose their class. */
export interface Refusal {
  code: RefusalCode
  message: string
  facts: Facts
}

export const refusal = (code: RefusalCode, facts: Facts = {}, message?: string): Refusal => ({
  code,
  message: message ?? refusals[code].message,
  facts,
})

export type Result<T> = { ok: true; value: T } | { ok: false; refusal: Refusal }

export const accepted = <T>(value: T): Result<T> => ({ ok: true, value })

export const refused = (code: RefusalCode, facts?: Facts, message?: string): Result<never> => ({
  ok: false,
  refusal: refusal(code, facts, message),
})
