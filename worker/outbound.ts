import { isPublicHost } from '../domain/addresses.ts'
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
}

export class Forbidden extends Error {}

/** Entries of ALLOW_PRIVATE_HOSTS, `host:port`. */
export const allowedHostsOf = ({ allowedHosts }: Config): ReadonlySet<string> =>
  new Set(allowedHosts.split(',').map((host) => host.trim().toLowerCase()))

export const createOutbound = (config: Config): Outbound => {
  const allowed = allowedHostsOf(config)
  const mayReach = async (url: URL): Promise<boolean> => {
    if (!isPlainHttp(url)) return false
    if (allowed.has(`${url.hostname}:${portOf(url)}`)) return true
    if (!isPublicHost(url.hostname)) return false
    return config.engineUrls.length === 0 || guardAllows(config, url.hostname, portOf(url))
  }
  return {
    mayReach,
    fetch: async (target, init) => {
      if (!(await mayReach(target instanceof URL ? target : new URL(target.url)))) {
        throw new Forbidden('the address is not public')
      }
      return fetch(target, { ...init, redirect: 'manual' })
    },
  }
}

/** URLs with credentials are rejected: `https://trusted.example@attacker.example` is a common deception. */
const isPlainHttp = (url: URL): boolean =>
  (url.protocol === 'http:' || url.protocol === 'https:') && url.username === '' && url.password === ''

const portOf = (url: URL): number => Number(url.port) || (url.protocol === 'https:' ? 443 : 80)

/** Asks the first container that answers. */
const guardAllows = async ({ engineUrls, engineToken }: Config, host: string, port: number): Promise<boolean> => {
  for (const [index, engineUrl] of engineUrls.entries()) {
    try {
      const response = await fetch(`${engineUrl}/resolve`, {
        method: 'POST',
        headers: { authorization: `Bearer ${engineToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ host, port }),
      })
      return response.ok && (await response.json<{ allowed: boolean }>()).allowed
    } catch (cause) {
      if (index === engineUrls.length - 1) throw cause
    }
  }
  return false
}
