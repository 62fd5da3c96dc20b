import { type FailureCode, failures } from '../domain/codes/failures.ts'

/** The source cannot be fetched or used. Caught once, at the end of the step, and reported with its code. */
export class SourceFailure extends Error {
  readonly code: FailureCode
  constructor(code: FailureCode, message?: string, options?: ErrorOptions) {
    super(message ?? code, options)
    this.code = code
  }
}

/** An error of this kind, or the one that was its cause: undici's fetch wraps what its connector throws, for example. */
export const causeOf = <Kind extends Error>(error: unknown, kind: new (...args: never[]) => Kind): Kind | null => {
  if (error instanceof kind) return error
  return error instanceof Error ? causeOf(error.cause, kind) : null
}

/** Returns the result of the work, or `otherwise` if the source fails. */
export const unlessFailed = <T, Otherwise>(work: () => T, otherwise: Otherwise): T | Otherwise => {
  try {
    return work()
  } catch (error) {
    if (error instanceof SourceFailure) return otherwise
    throw error
  }
}

export class UrlIsPlaylist extends SourceFailure {
  constructor() {
    super('SOURCE_UNSUPPORTED', 'The URL is a playlist. Send it to POST /batches, or send the URL of a single video.')
  }
}

/** The report of a failure. Without a message of its own, a failure has the general one of its code. */
export const failedOutcome = ({ code, message }: Pick<SourceFailure, 'code' | 'message'>) => ({
  status: 'failed' as const,
  code,
  message: message === code ? failures[code].message : message,
})

export const failureOfStatus = (status: number): FailureCode => {
  const known = codesByStatus[status]
  if (known) return known
  if (status >= 400 && status < 500) return 'SOURCE_BLOCKED'
  return 'SOURCE_UNREACHABLE'
}

const codesByStatus: Record<number, FailureCode> = {
  401: 'SOURCE_PRIVATE',
  402: 'SOURCE_PRIVATE',
  404: 'SOURCE_NOT_FOUND',
  408: 'SOURCE_UNREACHABLE',
  410: 'SOURCE_NOT_FOUND',
  429: 'SOURCE_RATE_LIMITED',
  451: 'SOURCE_REGION_BLOCKED',
}

/**
 * The first match counts. The messages of yt-dlp come from about a thousand extractors, so each pattern covers common
 * wordings.
 */
const errorPatterns: [FailureCode, RegExp][] = [
  ['SOURCE_BLOCKED', /(not|as) a bot|captcha|anti-bot|ip address is blocked|tls fingerprint/],
  ['SOURCE_RATE_LIMITED', /rate.?limit|too many requests|http error 429/],
  [
    'SOURCE_AGE_RESTRICTED',
    /your age\b|\bage.(restrict|verif|gate|limit)|inappropriate for some|adult content|mature audience/,
  ],
  ['SOURCE_DRM', /\bdrm\b/],
  [
    'SOURCE_REGION_BLOCKED',
    /geo.?(restrict|block)|(your|this|certain|some|in the) (countr|region|location|territor)|http error 451/,
  ],
  ['SOURCE_NOT_FOUND', /live[a-z ]{0,20}(has|recently) ended|recording is not available/],
  [
    'SOURCE_LIVE',
    /premieres? in|will begin (in|at)|not (yet |currently )?(started|live\b)|scheduled (for|to start)|offline|waiting room|upcoming/,
  ],
  [
    'SOURCE_PRIVATE',
    /private|log(ged)? ?in|sign in|members?\b|premium|subscri|password|passcode|payment|purchase|\bpaid\b|rental|registered users|\bvip\b|supporters|permission|cookies|http error 40[12]/,
  ],
  [
    'SOURCE_NOT_FOUND',
    /removed|deleted|terminated|does(n.t| not) exist|no longer|unavailable|not available|(video|track|clip|episode|page|content|post|space|channel) (was )?not found|expired|copyright|http error 4(04|10)/,
  ],
  [
    'SOURCE_UNREACHABLE',
    /timed? ?out|connection|resolve|unreachable|network|ssl|certificate|tunnel|incompleteread|bytes read|http error 5\d\d/,
  ],
]

/** `errorClass` is the name of the Python exception. A few classes are more precise than the message. */
export const failureOfExtractor = (message: string, errorClass?: string): FailureCode => {
  const known = errorClass && Object.hasOwn(codesByErrorClass, errorClass) ? codesByErrorClass[errorClass] : undefined
  if (known) return known
  const text = withoutNames(message).toLowerCase()
  const match = errorPatterns.find(([, pattern]) => pattern.test(text))
  if (match) return match[0]
  const status = /http error (\d{3})/.exec(text)
  return status ? failureOfStatus(Number(status[1])) : 'SOURCE_UNSUPPORTED'
}

const codesByErrorClass: Record<string, FailureCode> = {
  GeoRestrictedError: 'SOURCE_REGION_BLOCKED',
  UserNotLive: 'SOURCE_LIVE',
  UnsupportedError: 'SOURCE_UNSUPPORTED',
}

/** Removes URLs and ids: they may contain a word such as "private" that has nothing to do with the failure. */
const withoutNames = (message: string): string =>
  message
    .replace(/^ERROR: /, '')
    .replace(/^\[[^\]]+\] .*?: /, '')
    .replace(/(?<!\S)\S+:\/\/\S+/g, '')
