import type { FailureCode } from '../worker/domain/codes/failures.ts'

/** What an origin's refusal of a media URL means to the caller. */
export const failureOfStatus = (status: number): FailureCode => {
  const known = statuses[status]
  if (known) return known
  if (status >= 400 && status < 500) return 'SOURCE_BLOCKED'
  return 'SOURCE_UNREACHABLE'
}

const statuses: Record<number, FailureCode> = {
  401: 'SOURCE_PRIVATE',
  402: 'SOURCE_PRIVATE',
  404: 'SOURCE_NOT_FOUND',
  408: 'SOURCE_UNREACHABLE',
  410: 'SOURCE_NOT_FOUND',
  429: 'SOURCE_RATE_LIMITED',
  451: 'SOURCE_REGION_BLOCKED',
}

/**
 * What yt-dlp says → what callers are told; the first match counts. Its sentences come from a thousand
 * platforms, so each row is a habit of speech, and test/container/failures.test.ts holds the real ones.
 */
const sayings: [FailureCode, RegExp][] = [
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
  ['SOURCE_NOT_FOUND', /live.*(has|recently) ended|recording is not available/],
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

/** `kind` is the class of the Python error, where that says more than its text. */
export const failureOfExtractor = (text: string, kind?: string): FailureCode => {
  const known = kind && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined
  if (known) return known
  const said = withoutNames(text).toLowerCase()
  const saying = sayings.find(([, pattern]) => pattern.test(said))
  if (saying) return saying[0]
  const status = /http error (\d{3})/.exec(said)
  return status ? failureOfStatus(Number(status[1])) : 'SOURCE_UNSUPPORTED'
}

const kinds: Record<string, FailureCode> = {
  GeoRestrictedError: 'SOURCE_REGION_BLOCKED',
  UserNotLive: 'SOURCE_LIVE',
  UnsupportedError: 'SOURCE_UNSUPPORTED',
}

/** A URL or an id may hold any word, such as "private"; neither says anything about the failure. */
const withoutNames = (text: string): string =>
  text
    .replace(/^ERROR: /, '')
    .replace(/^\[[^\]]+\] .*?: /, '')
    .replace(/\S+:\/\/\S+/g, '')
