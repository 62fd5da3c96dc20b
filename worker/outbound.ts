import type { ItemRequest } from '../domain/batches/batch.ts'
import { firstStep } from '../domain/jobs/job.ts'
import { announcedDiskBytes, largestMediaBytes } from '../domain/jobs/step-resources.ts'
import { firstHold } from '../domain/money/bill.ts'
import type { Micros } from '../domain/money/money.ts'
import { isPublicHost } from '../domain/network/addresses.ts'
import {
  hasSourceProxy,
  noSourceProxies,
  readSourceProxies,
  type SourceProxies,
} from '../domain/network/source-proxies.ts'
import type { ResolveResponse } from '../domain/protocol/protocol.ts'
import { type Config, configOf, expectedDiskBytes } from './env.ts'

export type Outbound = ReturnType<typeof createOutbound>

export class Forbidden extends Error {}

/** No container answered, so nobody knows whether the address is public. */
export class Unchecked extends Error {}

/** Entries of ALLOW_PRIVATE_HOSTS, `host:port`. */
export const allowedHostsOf = ({ ALLOW_PRIVATE_HOSTS }: Config): ReadonlySet<string> =>
  new Set((ALLOW_PRIVATE_HOSTS ?? '').split(',').map((host) => host.trim().toLowerCase()))

/**
 * Every request to a URL from a caller goes through here, to prevent SSRF. On Cloudflare a Worker's fetch cannot reach
 * private networks, so only IP addresses are checked. Elsewhere the container's guard resolves and checks hostnames.
 */
export const createOutbound = (config: Config) => {
  const allowed = allowedHostsOf(config)
  const mayReach = async (url: URL): Promise<boolean> => {
    if (!isPlainHttp(url)) return false
    if (allowed.has(`${url.hostname}:${portOf(url)}`)) return true
    if (!isPublicHost(url.hostname)) return false
    return config.engineUrls.length === 0 || (await lookUp(config, url)).allowed
  }
  return {
    mayReach,
    /** Does not follow redirects. Throws Forbidden before anything is sent. */
    async fetch(target: URL | Request, init?: RequestInit): Promise<Response> {
      if (!(await mayReach(target instanceof URL ? target : new URL(target.url)))) {
        throw new Forbidden('the address is not public')
      }
      return fetch(target, { ...init, redirect: 'manual' })
    },
    /** A proxy may reach hosts that this Worker cannot. With ENGINE_URLS, only the containers know their proxies. */
    hasSourceProxy: async (url: URL): Promise<boolean> =>
      config.engineUrls.length === 0
        ? hasSourceProxy(sourceProxiesOf(config), url.hostname)
        : (await lookUp(config, url)).hasSourceProxy,
  }
}

/** Containers refuse to start with invalid settings. Here they must not stop every request. */
const sourceProxiesOf = ({ sourceProxies }: Config): SourceProxies => {
  try {
    return readSourceProxies(sourceProxies)
  } catch {
    return noSourceProxies
  }
}

/** URLs with credentials are rejected: `https://trusted.example@attacker.example` is a common deception. */
const isPlainHttp = (url: URL): boolean =>
  (url.protocol === 'http:' || url.protocol === 'https:') && url.username === '' && url.password === ''

const portOf = (url: URL): number => Number(url.port) || (url.protocol === 'https:' ? 443 : 80)

const lookUp = async ({ engineUrls, engineToken }: Config, url: URL): Promise<ResolveResponse> => {
  for (const [index, engineUrl] of engineUrls.entries()) {
    try {
      const response = await fetch(`${engineUrl}/resolve`, {
        method: 'POST',
        headers: { authorization: `Bearer ${engineToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ host: url.hostname, port: portOf(url) }),
      })
      return response.ok ? await response.json() : noAnswer
    } catch (cause) {
      if (index === engineUrls.length - 1) throw new Unchecked('no container answered', { cause })
    }
  }
  return noAnswer
}

const noAnswer: ResolveResponse = { allowed: false, hasSourceProxy: false }

export interface SourceAssessment {
  hold: Micros
  announcedBytes: number | null
  diskBytes: number | null
}

const CHECK_TIMEOUT_MS = 5_000
const MAX_REDIRECTS = 5
const FIRST_BYTES = 'bytes=0-1023'

/**
 * null: the URL could not be reached. A job with media that is too large is accepted, holds nothing for its size and
 * fails with MEDIA_TOO_LARGE. Otherwise a caller would be told to pay for media that is then refused. A clip is treated
 * as media of unknown size.
 */
export const assessSource = async (env: Env, url: string, item: ItemRequest): Promise<SourceAssessment | null> => {
  const config = configOf(env)
  const source = await checkSourceUrl(createOutbound(config), url)
  if (!source) return null
  const sizeBytes = item.request.clip ? null : source.sizeBytes
  const isTooLarge = sizeBytes !== null && sizeBytes > largestMediaBytes(expectedDiskBytes(config), 'oneFile')
  const announcedBytes = isTooLarge ? null : sizeBytes
  const diskBytes = announcedDiskBytes(firstStep(item.kind, item.request), sizeBytes)
  return { announcedBytes, hold: firstHold(config.terms.prices, item, announcedBytes), diskBytes }
}

/**
 * `sizeBytes`: what a media file announces. null for whatever is unreachable or private: if callers could tell them
 * apart, they could map our network. A host that has a source proxy may refuse connections from here, so only the
 * container finds out whether it answers. Throws if no container can check the address.
 */
export const checkSourceUrl = async (outbound: Outbound, url: string): Promise<{ sizeBytes: number | null } | null> => {
  const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS)
  try {
    const response = await fetchFollowing(outbound, new URL(url), signal, { range: FIRST_BYTES })
    if (!response) return { sizeBytes: null }
    await response.body?.cancel()
    return response.status === 404 || response.status === 410 ? null : { sizeBytes: announcedSize(response) }
  } catch (cause) {
    if (cause instanceof Unchecked) throw cause
    if (!(cause instanceof Forbidden)) console.warn('source URL is unreachable', new URL(url).host, `${cause}`)
    return null
  }
}

/** Follows redirects itself, so that every target is checked. null: a host that has a source proxy did not respond. */
export const fetchFollowing = async (
  outbound: Outbound,
  start: URL,
  signal: AbortSignal,
  own: Record<string, string>,
): Promise<Response | null> => {
  let url = start
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const headers = {
      'accept-encoding': 'identity',
      'user-agent': 'Mozilla/5.0 (compatible; Haul)',
      ...own,
    }
    const target = url
    const response = await outbound.fetch(target, { headers, signal }).catch(async (cause) => {
      if (cause instanceof Forbidden || !(await outbound.hasSourceProxy(target))) throw cause
      return null
    })
    if (!response) return null
    const location = response.headers.get('location')
    if (response.status < 300 || response.status >= 400 || location === null) return response
    await response.body?.cancel()
    url = new URL(location, url)
  }
  throw new Error('too many redirects')
}

const MEDIA = /^(?:video|audio)\/(?!.*mpegurl)|^application\/(?:octet-stream|ogg|mp4|x-matroska)/i

/** The length of a page or playlist is unrelated to the size of its media. */
export const announcedSize = ({ status, headers }: Response): number | null => {
  if (!MEDIA.test(headers.get('content-type') ?? '') || headers.has('content-encoding')) return null
  if (status === 206) return wholeNumber(/\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1])
  return status === 200 ? wholeNumber(headers.get('content-length') ?? undefined) : null
}

const wholeNumber = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null
