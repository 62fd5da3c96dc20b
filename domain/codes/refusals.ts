/** Reasons to refuse a request before any work starts. `http/respond.ts` turns them into responses. */
export const refusals = {
  INVALID_JSON: { status: 400, message: 'The request body is not valid JSON.' },
  INVALID_REQUEST: { status: 400, message: 'The request is not valid.' },
  UNREACHABLE_URL: { status: 400, message: 'The URL could not be reached.' },
  SOURCE_UNREADABLE: { status: 400, message: 'The source could not be read.' },
  PROVIDER_KEY_REQUIRED: {
    status: 400,
    message: 'This provider requires an API key. Send apiKey, or store a key with POST /transcription-provider.',
  },
  OPTION_UNSUPPORTED: { status: 400, message: 'This engine does not support the option.' },
  STORAGE_NOT_CONFIGURED: { status: 400, message: 'No bucket is configured. Set one with PUT /storage.' },
  STORAGE_UNREACHABLE: { status: 400, message: 'The storage endpoint did not respond.' },
  STORAGE_UNAVAILABLE: { status: 400, message: 'The storage server is busy or has an internal error.' },
  STORAGE_CORRUPTED: { status: 400, message: 'The stored bytes differ from the bytes that were sent.' },
  STORAGE_DENIED: { status: 400, message: 'The bucket denied access.' },
  STORAGE_SIGNATURE: { status: 400, message: 'The secret access key is wrong.' },
  STORAGE_CLOCK: { status: 400, message: 'The clock of the storage server differs too much from ours.' },
  STORAGE_NO_BUCKET: { status: 400, message: 'The bucket does not exist.' },
  STORAGE_REDIRECT: { status: 400, message: 'The bucket is in another region or at another endpoint.' },
  STORAGE_FULL: { status: 400, message: 'The bucket is full.' },
  STORAGE_REFUSED: { status: 400, message: 'The bucket rejected the request.' },
  UNAUTHORIZED: { status: 401, message: 'A valid API key is required: Authorization: Bearer <API_KEY>.' },
  INSUFFICIENT_BALANCE: { status: 402, message: 'The account balance is too low for this job.' },
  KEY_BUDGET_EXCEEDED: { status: 402, message: 'The monthly budget of this API key does not cover the job.' },
  ACCOUNT_SUSPENDED: {
    status: 403,
    message: 'The account is suspended and cannot start jobs. Contact the operator of the service.',
  },
  SCOPE_MISSING: { status: 403, message: 'This API key may not do that.' },
  ORIGIN_FORBIDDEN: { status: 403, message: 'Requests from web pages of other origins are not allowed.' },
  SIGNATURE_INVALID: { status: 403, message: 'The link is not valid.' },
  NOT_FOUND: { status: 404, message: 'Not found.' },
  JOB_NOT_FOUND: { status: 404, message: 'Job not found.' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'This endpoint does not support this method.' },
  IDEMPOTENCY_IN_PROGRESS: { status: 409, message: 'A request with this Idempotency-Key is still running.' },
  SOURCE_NOT_READY: { status: 409, message: 'The source is not ready yet.' },
  TOO_MANY_KEYS: { status: 409, message: 'The account has as many API keys as it may have.' },
  TOO_MANY_WATCHES: { status: 409, message: 'The account has as many watches as it may have.' },
  SEARCH_OFF: {
    status: 409,
    message: 'Words of this account are not indexed. Send index: true with PATCH /account first.',
  },
  WATCH_PAUSED: { status: 409, message: 'The watch is paused. Send paused: false with PATCH /watches/{id} first.' },
  LAST_KEY: {
    status: 409,
    message: 'This is the last full key. Make another one before you remove or limit it.',
  },
  NOTHING_TO_RETRY: { status: 409, message: 'The batch has no items to retry.' },
  TRANSCRIPT_NOT_READY: { status: 409, message: 'The transcript is not ready yet.' },
  MEDIA_EXPIRED: { status: 410, message: 'The media is no longer stored.' },
  BODY_TOO_LARGE: { status: 413, message: 'The request body is too large.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'The request must have Content-Type: application/json.' },
  RANGE_NOT_SATISFIABLE: { status: 416, message: 'The range is outside of the file.' },
  IDEMPOTENCY_MISMATCH: { status: 422, message: 'This Idempotency-Key was used with a different request body.' },
  UPLOAD_INCOMPLETE: { status: 422, message: 'The upload is not complete.' },
  SOURCE_UNSUPPORTED: { status: 422, message: 'The file is not supported media.' },
  RATE_LIMITED: { status: 429, message: 'Rate limit exceeded.' },
  CONCURRENCY_LIMITED: { status: 429, message: 'Too many jobs are queued or running.' },
  FREE_WORK_LIMITED: {
    status: 429,
    message: 'The budget for work without a charge is used up: jobs that failed or were canceled, and previews.',
  },
  STORAGE_LIMITED: { status: 429, message: "The account's uploads would exceed their storage limit." },
  INTERNAL_ERROR: { status: 500, message: 'Something went wrong on our side. Try again later.' },
  SERVICE_BUSY: { status: 503, message: 'The service is busy. Try again in a few seconds.' },
  SERVICE_UNAVAILABLE: {
    status: 503,
    message: 'The request was interrupted, and may have had its effect. Try again in a few seconds.',
  },
} as const satisfies Record<string, { status: number; message: string }>

export type RefusalCode = keyof typeof refusals

export const isLimit = (code: RefusalCode): boolean => refusals[code].status === 429

/** Properties that a client can act on: details, requiredDollars, limit… */
export type Facts = Record<string, string | number | boolean | { path: string; message: string }[]>

/** A value and not an error class, because RPC does not preserve error classes. */
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
