import { canonicalHost } from '../../../domain/network/canonical-host.ts'
import type { SourceProxies } from '../../../domain/network/source-proxies.ts'
import { type Access, plainAccess } from '../../egress/egress.ts'

export type AccessMemory = ReturnType<typeof createAccessMemory>

interface AccessMemoryOptions {
  sourceProxies: SourceProxies
  now?: () => number
  forgetMs?: number
  maxHosts?: number
}

/** Sites change, and so do the addresses that they refuse. What costs least is then tried first again. */
const FORGET_MS = 6 * 3_600_000
/** Callers may invent hosts. */
const MAX_HOSTS = 1_000

/** The most that a step spends on a source that refuses it. */
const MAX_TRIES = 4

export const accessesOf = (routes: number): Access[] => {
  const asBrowser = Array.from({ length: routes }, (_, route) => ({ route, asBrowser: true }))
  return [plainAccess, ...asBrowser].slice(0, MAX_TRIES)
}

const isSameAccess = (one: Access, other: Access): boolean =>
  one.route === other.route && one.asBrowser === other.asBrowser

export const createAccessMemory = (options: AccessMemoryOptions) => {
  const { sourceProxies, now = Date.now, forgetMs = FORGET_MS, maxHosts = MAX_HOSTS } = options
  const known = new Map<string, { access: Access; at: number }>()
  const knownOf = (host: string): Access | null => {
    const found = known.get(host)
    if (found && now() - found.at < forgetMs) return found.access
    known.delete(host)
    return null
  }
  return {
    accessesTo: (url: string): Access[] => {
      const host = hostOf(url)
      const first = knownOf(host)
      const all = accessesOf(sourceProxies.routesTo(host).length)
      return first ? [first, ...all.filter((access) => !isSameAccess(access, first))] : all
    },
    /** What has served a URL is tried first for its host, until it is forgotten. */
    served: (url: string, access: Access): void => {
      const host = hostOf(url)
      if (isSameAccess(access, plainAccess) || knownOf(host)) return
      const [oldest] = known.keys()
      if (known.size >= maxHosts && oldest !== undefined) known.delete(oldest)
      known.set(host, { access, at: now() })
    },
    refused: (url: string, access: Access): void => {
      const host = hostOf(url)
      const first = knownOf(host)
      if (first && isSameAccess(first, access)) known.delete(host)
    },
  }
}

const hostOf = (url: string): string => canonicalHost(URL.parse(url)?.hostname ?? '')
