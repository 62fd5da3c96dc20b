import { type RefusalCode, refusals } from '../../../domain/codes/refusals.ts'

/** Why a bucket operation fails: codes of refused requests, and one that no caller sees. */
export type BucketRefusalCode = Extract<RefusalCode, `STORAGE_${string}`> | 'STORAGE_UPLOAD_GONE'

/** The same request may succeed a little later. */
const retryable: BucketRefusalCode[] = ['STORAGE_UNREACHABLE', 'STORAGE_UNAVAILABLE', 'STORAGE_CORRUPTED']

const messageOf = (code: BucketRefusalCode): string =>
  code === 'STORAGE_UPLOAD_GONE' ? 'The unfinished upload was removed from the bucket.' : refusals[code].message

/** `message` is a sentence with the server's message. */
export class BucketRefusal extends Error {
  override name = 'BucketRefusal'
  readonly code: BucketRefusalCode
  /** 0 when there was no response. */
  readonly status: number
  /** The server's error code and message, without secrets and control characters. */
  readonly serverMessage: string
  readonly retryAfterMs: number | null

  constructor(
    code: BucketRefusalCode,
    response: { status: number; serverMessage: string; retryAfterMs?: number | null },
  ) {
    const message = messageOf(code)
    super(response.serverMessage ? `${message.slice(0, -1)}: ${response.serverMessage}` : message)
    this.code = code
    this.status = response.status
    this.serverMessage = response.serverMessage
    this.retryAfterMs = response.retryAfterMs ?? null
  }

  get retryable(): boolean {
    return retryable.includes(this.code)
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
