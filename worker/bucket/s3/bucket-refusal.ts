/** Every reason why a bucket operation fails. `retryable`: the same request may succeed a little later. */
export const bucketRefusals = {
  STORAGE_UNREACHABLE: { message: 'The storage endpoint did not respond', retryable: true },
  STORAGE_UNAVAILABLE: { message: 'The storage server is busy or has an internal error', retryable: true },
  STORAGE_CORRUPTED: { message: 'The stored bytes differ from the bytes that were sent', retryable: true },
  STORAGE_DENIED: { message: 'The bucket denied access', retryable: false },
  STORAGE_SIGNATURE: { message: 'The secret access key is wrong', retryable: false },
  STORAGE_CLOCK: { message: 'The clock of the storage server differs too much from ours', retryable: false },
  STORAGE_NO_BUCKET: { message: 'The bucket does not exist', retryable: false },
  STORAGE_REDIRECT: { message: 'The bucket is in another region or at another endpoint', retryable: false },
  STORAGE_FULL: { message: 'The bucket is full', retryable: false },
  STORAGE_UPLOAD_GONE: { message: 'The unfinished upload was removed from the bucket', retryable: false },
  STORAGE_REFUSED: { message: 'The bucket rejected the request', retryable: false },
} as const satisfies Record<string, { message: string; retryable: boolean }>

export type BucketRefusalCode = keyof typeof bucketRefusals

interface RefusedResponse {
  /** 0 when there was no response. */
  status: number
  /** The server's error code and message, without secrets and control characters. */
  serverMessage: string
  retryAfterMs?: number | null
}

/** A refusal as a value, for a job's failure or an API response. `message` is a sentence with the server's message. */
export interface BucketFailure {
  code: BucketRefusalCode
  message: string
  serverMessage: string
  status: number
  retryable: boolean
}

/** Thrown inside this folder. The copy and the access check convert it to a `BucketFailure`. */
export class BucketRefusal extends Error implements BucketFailure {
  override name = 'BucketRefusal'
  readonly code: BucketRefusalCode
  readonly status: number
  readonly serverMessage: string
  readonly retryable: boolean
  readonly retryAfterMs: number | null

  constructor(code: BucketRefusalCode, { status, serverMessage, retryAfterMs = null }: RefusedResponse) {
    const { message, retryable } = bucketRefusals[code]
    super(serverMessage ? `${message}: ${serverMessage}` : `${message}.`)
    this.code = code
    this.status = status
    this.serverMessage = serverMessage
    this.retryable = retryable
    this.retryAfterMs = retryAfterMs
  }

  toValue(): BucketFailure {
    const { code, message, serverMessage, status, retryable } = this
    return { code, message, serverMessage, status, retryable }
  }
}

/** Error codes of S3 and of compatible servers. Other codes are classified by their HTTP status. */
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
  // 501: not implemented, so retrying will not help.
  if (status === 501) return 'STORAGE_REFUSED'
  if (status >= 500 || status === 408 || status === 429) return 'STORAGE_UNAVAILABLE'
  return 'STORAGE_REFUSED'
}

export const refusalCode = (status: number, serverCode: string | undefined): BucketRefusalCode =>
  (serverCode && byServerCode[serverCode]) || byStatus(status)
