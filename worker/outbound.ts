import { isPublicHost } from './domain/addresses.ts'
import type { Config } from './env.ts'

/**
 * Every request of the Worker to an address that a caller gave goes through here. On Cloudflare a Worker's
 * fetch leaves from the public network and sees no private neighbours, so names are trusted there and only
 * literal addresses are judged. Elsewhere (development, tests) the container's guard resolves the name.
 */
export interface Outbound {
  mayReach(url: URL): Promise<boolean>
  /** Does not follow redirects. Throws Forbidden before a byte is sent. */
  fetch(target: URL | Request, init?: RequestInit): Promise<Response>
}

export class Forbidden extends Error {}

/** What the operator lets through although it is not public. */
export const hostsOf = ({ allowedHosts }: Config): ReadonlySet<string> =>
  new Set(allowedHosts.split(',').map((host) => host.trim().toLowerCase()))

export const createOutbound = (config: Config): Outbound => {
  const allowed = hostsOf(config)
  const mayReach = async (url: URL): Promise<boolean> => {
    if (!isPlain(url)) return false
    if (allowed.has(`${url.hostname}:${portOf(url)}`)) return true
    if (!isPublicHost(url.hostname)) return false
    return config.engineUrl === null || guardAllows(config, url.hostname, portOf(url))
  }
  return {
    mayReach,
    fetch: async (target, init) => {
      if (!(await mayReach(target instanceof URL ? target : new URL(target.url)))) {
        throw new Forbidden('the address must not be reached')
      }
      return fetch(target, { ...init, redirect: 'manual' })
    },
  }
}

/** Credentials in a URL are there to deceive more often than to log in. */
const isPlain = (url: URL): boolean =>
  (url.protocol === 'http:' || url.protocol === 'https:') && url.username === '' && url.password === ''

const portOf = (url: URL): number => Number(url.port) || (url.protocol === 'https:' ? 443 : 80)

const guardAllows = async ({ engineUrl, engineToken }: Config, host: string, port: number): Promise<boolean> => {
  const answer = await fetch(`${engineUrl}/resolve`, {
    method: 'POST',
    headers: { authorization: `Bearer ${engineToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ host, port }),
  })
  return answer.ok && (await answer.json<{ allowed: boolean }>()).allowed
}
