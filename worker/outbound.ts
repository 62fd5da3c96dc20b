import { isPublicHost } from '../domain/addresses.ts'
import type { ResolveResponse } from '../domain/protocol/protocol.ts'
import { noSourceProxies, readSourceProxies, type SourceProxies } from '../domain/source-proxies.ts'
import type { Config } from './env.ts'

/**
 * Every request to a URL from a caller goes through here, to prevent SSRF. On Cloudflare a Worker's fetch cannot
 * reach private networks, so hostnames need no check and only IP addresses are checked. Elsewhere (development,
 * tests) the container's guard resolves the hostname and checks its addresses.
 */
export interface Outbound {
  mayReach(url: URL): Promise<boolean>
  /** Does not follow redirects. Throws Forbidden before anything is sent. */
  fetch(target: URL | Request, init?: RequestInit): Promise<Response>
  /** Containers reach it through an operator's proxy, so it may answer them although it does not answer this Worker. */
  hasSourceProxy(url: URL): Promise<boolean>
}

export class Forbidden extends Error {}

/** No container answered, so nobody knows whether the address is public. */
export class Unchecked extends Error {}

/** Entries of ALLOW_PRIVATE_HOSTS, `host:port`. */
export const allowedHostsOf = ({ allowedHosts }: Config): ReadonlySet<string> =>
  new Set(allowedHosts.split(',').map((host) => host.trim().toLowerCase()))

export const createOutbound = (config: Config): Outbound => {
  const allowed = allowedHostsOf(config)
  const mayReach = async (url: URL): Promise<boolean> => {
    if (!isPlainHttp(url)) return false
    if (allowed.has(`${url.hostname}:${portOf(url)}`)) return true
    if (!isPublicHost(url.hostname)) return false
    return config.engineUrls.length === 0 || (await lookUp(config, url)).allowed
  }
  return {
    mayReach,
    fetch: async (target, init) => {
      if (!(await mayReach(target instanceof URL ? target : new URL(target.url)))) {
        throw new Forbidden('the address is not public')
      }
      return fetch(target, { ...init, redirect: 'manual' })
    },
    // With ENGINE_URLS, only the containers know their proxies.
    hasSourceProxy: async (url) =>
      config.engineUrls.length === 0
        ? sourceProxiesOf(config).proxyFor(url.hostname) !== null
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

/** Asks the first container that answers. */
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
