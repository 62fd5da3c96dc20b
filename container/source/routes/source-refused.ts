import { canonicalHost } from '../../../domain/canonical-host.ts'
import { failures } from '../../../domain/codes/failures.ts'
import { SourceFailure } from '../../failures.ts'

/** The codes of a source that refuses whoever asks. Another address, or another program, may be served. */
type RefusalCode = 'SOURCE_BLOCKED' | 'SOURCE_RATE_LIMITED'

export const isRefusal = (code: string | null): code is RefusalCode =>
  code === 'SOURCE_BLOCKED' || code === 'SOURCE_RATE_LIMITED'

/** What this service has to get around a refusal. */
export interface Means {
  url: string
  /** Whether a source proxy has been tried. */
  hasProxy: boolean
  /** Whether POT_PROVIDER_URL is set. */
  hasTokens: boolean
}

/** The source has refused all that was tried. The message says what would help. */
export class SourceRefused extends SourceFailure {
  constructor(refusal: SourceFailure, means: Means) {
    const { code, message } = refusal
    // A message of its own says more, such as that the proxy has failed.
    super(code, message === code && isRefusal(code) ? refusalMessage(code, means) : message, { cause: refusal })
  }
}

export const refusalMessage = (code: RefusalCode, means: Means): string =>
  `${failures[code].message} ${whatWouldHelp(means)}`

const whatWouldHelp = ({ url, hasProxy, hasTokens }: Means): string => {
  const needsToken = !hasTokens && takesTokens(url)
  if (needsToken && hasProxy) return `${tokens} may help.`
  if (needsToken) return `${tokens}, or a source proxy (SOURCE_PROXIES), may help.`
  if (!hasProxy) return 'A source proxy of the service (SOURCE_PROXIES) may help.'
  return 'It refuses the source proxies of the service too, so nothing here would help.'
}

const tokens = 'A provider of tokens for the service (POT_PROVIDER_URL)'

/** The hosts whose extractor asks for proof-of-origin tokens. */
const hostsWithTokens = ['youtube.com', 'youtu.be', 'youtube-nocookie.com']

const takesTokens = (url: string): boolean => {
  const host = canonicalHost(URL.parse(url)?.hostname ?? '')
  return hostsWithTokens.some((name) => host === name || host.endsWith(`.${name}`))
}
