/** What a bucket's no means for the caller. `retryable` is about the same request a little later. */
export const bucketRefusals = {
  STORAGE_UNREACHABLE: { message: 'The storage endpoint did not answer', retryable: true },
  STORAGE_UNAVAILABLE: { message: 'The storage server is busy or broken', retryable: true },
  STORAGE_CORRUPTED: { message: 'The storage server holds other bytes than were sent', retryable: true },
  STORAGE_DENIED: { message: 'The bucket denied access', retryable: false },
  STORAGE_SIGNATURE: { message: 'The secret access key is wrong', retryable: false },
  STORAGE_CLOCK: { message: 'The clocks of the storage server and of this service disagree', retryable: false },
  STORAGE_NO_BUCKET: { message: 'There is no such bucket', retryable: false },
  STORAGE_REDIRECT: { message: 'The bucket lives in another region or at another endpoint', retryable: false },
  STORAGE_FULL: { message: 'The bucket is full', retryable: false },
  STORAGE_UPLOAD_GONE: { message: 'The unfinished upload was removed from the bucket', retryable: false },
  STORAGE_REFUSED: { message: 'The bucket refused the request', retryable: false },
} as const satisfies Record<string, { message: string; retryable: boolean }>

export type BucketRefusalCode = keyof typeof bucketRefusals

export interface BucketAnswer {
  /** 0 when there was no answer. */
  status: number
  /** The server's own code and sentence, cleaned, never with a secret in them. */
  words: string
  retryAfterMs?: number | undefined
}

/** A refusal as a value, for a job's message or an answer. `message` is a sentence with the bucket's words. */
export interface BucketFailure {
  code: BucketRefusalCode
  message: string
  words: string
  status: number
  retryable: boolean
}

/** Thrown within the s3 room; the copy and the proof turn it into a value. */
export class BucketRefusal extends Error implements BucketFailure {
  override name = 'BucketRefusal'
  readonly code: BucketRefusalCode
  readonly status: number
  readonly words: string
  readonly retryable: boolean
  readonly retryAfterMs: number | undefined

  constructor(code: BucketRefusalCode, { status, words, retryAfterMs }: BucketAnswer) {
    super(words ? `${bucketRefusals[code].message}: ${words}` : `${bucketRefusals[code].message}.`)
    this.code = code
    this.status = status
    this.words = words
    this.retryable = bucketRefusals[code].retryable
    this.retryAfterMs = retryAfterMs
  }

  toValue(): BucketFailure {
    const { code, message, words, status, retryable } = this
    return { code, message, words, status, retryable }
  }
}

/** S3's error codes, and those that other servers add. What is not here is judged by its status. */
const byServerCode: Record<string, BucketRefusalCode> = {
  AccessDenied: 'STORAGE_DENIED',
  AccountProblem: 'STORAGE_DENIED',
  AllAccessDisabled: 'STORAGE_DENIED',
  ExpiredToken: 'STORAGE_DENIED',
  InvalidAccessKeyId: 'STORAGE_DENIED',
  InvalidToken: 'STORAGE_DENIED',
  Unauthorized: 'STORAGE_DENIED',
  XAdminUserNotFound: 'STORAGE_DENIED',
  SignatureDoesNotMatch: 'STORAGE_SIGNATURE',
  RequestTimeTooSkewed: 'STORAGE_CLOCK',
  RequestExpired: 'STORAGE_CLOCK',
  NoSuchBucket: 'STORAGE_NO_BUCKET',
  InvalidBucketName: 'STORAGE_NO_BUCKET',
  PermanentRedirect: 'STORAGE_REDIRECT',
  TemporaryRedirect: 'STORAGE_REDIRECT',
  AuthorizationHeaderMalformed: 'STORAGE_REDIRECT',
  IllegalLocationConstraintException: 'STORAGE_REDIRECT',
  NoSuchUpload: 'STORAGE_UPLOAD_GONE',
  InvalidPart: 'STORAGE_UPLOAD_GONE',
  BadDigest: 'STORAGE_CORRUPTED',
  InvalidDigest: 'STORAGE_CORRUPTED',
  XAmzContentSHA256Mismatch: 'STORAGE_CORRUPTED',
  XAmzContentChecksumMismatch: 'STORAGE_CORRUPTED',
  IncompleteBody: 'STORAGE_UNAVAILABLE',
  RequestTimeout: 'STORAGE_UNAVAILABLE',
  SlowDown: 'STORAGE_UNAVAILABLE',
  OperationAborted: 'STORAGE_UNAVAILABLE',
  QuotaExceeded: 'STORAGE_FULL',
  XMinioStorageFull: 'STORAGE_FULL',
}

const byStatus = (status: number): BucketRefusalCode => {
  if (status >= 300 && status < 400) return 'STORAGE_REDIRECT'
  if (status === 401 || status === 403) return 'STORAGE_DENIED'
  if (status === 507) return 'STORAGE_FULL'
  // 501: no later attempt will find it implemented.
  if (status === 501) return 'STORAGE_REFUSED'
  if (status >= 500 || status === 408 || status === 429) return 'STORAGE_UNAVAILABLE'
  return 'STORAGE_REFUSED'
}

export const refusalCode = (status: number, serverCode: string | undefined): BucketRefusalCode =>
  (serverCode && byServerCode[serverCode]) || byStatus(status)
