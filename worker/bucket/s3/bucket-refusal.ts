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
const serverCodes: Partial<Record<BucketRefusalCode, string[]>> = {
  STORAGE_DENIED: [
    'AccessDenied',
    'AccountProblem',
    'AllAccessDisabled',
    'ExpiredToken',
    'InvalidAccessKeyId',
    'InvalidToken',
    'Unauthorized',
    'XAdminUserNotFound',
  ],
  STORAGE_SIGNATURE: ['SignatureDoesNotMatch'],
  STORAGE_CLOCK: ['RequestTimeTooSkewed', 'RequestExpired'],
  STORAGE_NO_BUCKET: ['NoSuchBucket', 'InvalidBucketName'],
  STORAGE_REDIRECT: [
    'PermanentRedirect',
    'TemporaryRedirect',
    'AuthorizationHeaderMalformed',
    'IllegalLocationConstraintException',
  ],
  STORAGE_UPLOAD_GONE: ['NoSuchUpload', 'InvalidPart'],
  STORAGE_CORRUPTED: ['BadDigest', 'InvalidDigest', 'XAmzContentSHA256Mismatch', 'XAmzContentChecksumMismatch'],
  STORAGE_UNAVAILABLE: ['IncompleteBody', 'RequestTimeout', 'SlowDown', 'OperationAborted'],
  STORAGE_FULL: ['QuotaExceeded', 'XMinioStorageFull'],
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

export const refusalCode = (status: number, serverCode = ''): BucketRefusalCode => {
  const codes = Object.keys(serverCodes) as BucketRefusalCode[]
  return codes.find((code) => serverCodes[code]?.includes(serverCode)) ?? byStatus(status)
}
