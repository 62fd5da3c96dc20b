import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type FailureCode, failures } from '../../../domain/codes/failures.ts'
import { canonicalHost } from '../../../domain/network/canonical-host.ts'
import { hasSourceProxy, noSourceProxies, type SourceProxies } from '../../../domain/network/source-proxies.ts'
import { untilAborted } from '../../../domain/until-aborted.ts'
import { type Access, createEgress, type Egress, plainAccess } from '../../egress/egress.ts'
import type { AddressGuard } from '../../egress/guard.ts'
import { SourceProxyFailed } from '../../egress/tunnel.ts'
import { causeOf, SourceFailure } from '../../failures.ts'
import type { Log } from '../../log.ts'
import { createBrowser } from '../browser/browser.ts'
import type { ExtractorSession, TrackedExtractor } from '../extractor/versions/extractors.ts'
import type { TokenProvider } from '../tokens/token-provider.ts'
import type { AccessMemory } from './accesses.ts'

export interface SharedTools {
  guard: AddressGuard
  /** Default: none. */
  sourceProxies?: SourceProxies
  accesses?: AccessMemory
  python?: string
  /** Default: none. */
  tokenProvider?: Pick<TokenProvider, 'requestToken'> | null
  extractors: { session(): ExtractorSession }
  workRoot: string
  /** Where the extractor's forks reach the proxies of their steps: its own folder (see egress/proxy.ts). */
  socketFolder?: string
  log: Log
}

export interface Workspace {
  /** Aborts when the work is stopped, and when it has ended: parts of it may still be running. */
  signal: AbortSignal
  workDir: string
  egress: Egress
  extractor: TrackedExtractor
}

interface Attempts<T> {
  /** null: the work has no source that could refuse. */
  url: string | null
  tools: SharedTools
  signal: AbortSignal
  work(workspace: Workspace): Promise<T>
  /** What the source has refused although there is a result. */
  withheld?(result: T): string | null
}

/** When the source refuses, the work is restarted with another access, until none is left. */
export const untilServed = async <T>(attempts: Attempts<T>): Promise<T> => {
  const { url, tools } = attempts
  // One version of yt-dlp for all of them.
  const session = tools.extractors.session()
  const run = (access: Access) => withWorkspace(attempts, access, session.tracked())
  try {
    return url === null ? await run(plainAccess) : await firstServed(url, attempts, run)
  } finally {
    session.close()
  }
}

const firstServed = async <T>(
  url: string,
  { tools, signal, withheld = () => null }: Attempts<T>,
  run: (access: Access) => Promise<T>,
): Promise<T> => {
  const { accesses, log, sourceProxies = noSourceProxies, tokenProvider = null } = tools
  const hasProxy = hasSourceProxy(sourceProxies, URL.parse(url)?.hostname ?? '')
  const means = { url, hasProxy, hasTokens: tokenProvider !== null }
  const failedRoutes = new Set<number>()
  let refusal: SourceFailure | null = null
  let incomplete: { result: T } | null = null
  for (const access of accesses?.accessesTo(url) ?? [plainAccess]) {
    if (failedRoutes.has(access.route)) continue
    try {
      const result = await run(access)
      const code = withheld(result)
      if (!isRefusal(code)) {
        accesses?.served(url, access)
        return result
      }
      incomplete = { result }
      log('source refused', { code, ...access })
    } catch (error) {
      if (signal.aborted) throw refusal ? new SourceRefused(refusal, means) : error
      if (!(error instanceof SourceFailure) || !saysNoMoreThan(error.code, refusal)) throw error
      if (causeOf(error, SourceProxyFailed)) failedRoutes.add(access.route)
      // What the source has answered says more than that a proxy did not work.
      if (!refusal || causeOf(refusal, SourceProxyFailed)) refusal = error
      log('source refused', { code: error.code, ...access })
    }
    accesses?.refused(url, access)
  }
  if (incomplete) return incomplete.result
  throw refusal ? new SourceRefused(refusal, means) : new Error('nothing was tried')
}

/** After a refusal, the other accesses may find nothing either. The refusal is then still the reason. */
const saysNoMoreThan = (code: FailureCode, refusal: SourceFailure | null): boolean =>
  isRefusal(code) || (refusal !== null && (code === 'SOURCE_UNREACHABLE' || code === 'SOURCE_UNSUPPORTED'))

/** How long work that was stopped may take to release its files and child processes. */
const CLEANUP_TIMEOUT_MS = 2_000

const withWorkspace = async <T>({ tools, signal, work }: Attempts<T>, access: Access, extractor: TrackedExtractor) => {
  const { guard, sourceProxies = noSourceProxies, tokenProvider, python, workRoot, socketFolder, log } = tools
  await mkdir(workRoot, { recursive: true })
  const workDir = await mkdtemp(join(workRoot, 'work-'))
  try {
    const egress = createEgress({
      ...{ guard, sourceProxies, access, signal, onProxyFailure: logOfProxyFailures(log) },
      requestToken: tokenProvider?.requestToken,
      createBrowser: python === undefined ? undefined : (needs) => createBrowser(python, needs),
      socketFolder,
    })
    const ended = new AbortController()
    const working = work({ signal: AbortSignal.any([signal, ended.signal]), workDir, egress, extractor })
    try {
      return await untilAborted(working, signal)
    } finally {
      ended.abort(new Error('the work has ended'))
      await egress.close()
      await Promise.race([working.catch(() => {}), sleep(CLEANUP_TIMEOUT_MS, undefined, { ref: false })])
    }
  } finally {
    await rm(workDir, { recursive: true, force: true, maxRetries: 3 })
  }
}

const logOfProxyFailures = (log: Log): ((failure: SourceProxyFailed) => void) => {
  const logged = new Set<string>()
  return ({ proxy, reason }) => {
    const text = `${proxy} ${reason}`
    if (!logged.has(text)) log('source proxy failed', { proxy, reason })
    logged.add(text)
  }
}

/** The source does not refuse this caller in particular. Another address, or another program, may be served. */
const isRefusal = (code: string | null): boolean => code === 'SOURCE_BLOCKED' || code === 'SOURCE_RATE_LIMITED'

interface Means {
  url: string
  hasProxy: boolean
  hasTokens: boolean
}

/** The source has refused every access that was tried. The message says what would help. */
export class SourceRefused extends SourceFailure {
  constructor(refusal: SourceFailure, means: Means) {
    const { code, message } = refusal
    const hasGeneral = message === code && isRefusal(code)
    // A specific message says more, such as that the proxy has failed.
    super(code, hasGeneral ? `${failures[code].message} ${whatWouldHelp(means)}` : message, { cause: refusal })
  }
}

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
