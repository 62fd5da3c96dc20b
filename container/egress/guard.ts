import ipaddr from 'ipaddr.js'
import { isPublicAddress } from '../../worker/domain/addresses.ts'
import type { MayReach } from './egress.ts'

/**
 * Decides where the service may go. Imports nothing of Node, so that the Worker asks the same guard with
 * a lookup of its own.
 */
export interface Guard {
  /** Every address of the name, in the order to try them. Throws Forbidden when one of them is not public. */
  addressesOf(hostname: string, port: number): Promise<Address[]>
  mayReach: MayReach
}

export interface Address {
  address: string
  family: 4 | 6
}

export type Lookup = (hostname: string) => Promise<Address[]>

export interface GuardOptions {
  /** ALLOW_PRIVATE_HOSTS: `host:port`, separated by commas, compared as written in the URL. */
  allow?: string | undefined
  lookup: Lookup
}

/**
 * A refusal for good: asking again would not help. A name that has no address may have one later, and is none.
 * Stays inside: callers turn it into the failure that every unreachable source gets.
 */
export class Forbidden extends Error {}

export const createGuard = ({ allow = '', lookup }: GuardOptions): Guard => {
  const allowed = new Set(allow.split(',').map(canonicalOrigin))
  const addressesOf = async (hostname: string, port: number): Promise<Address[]> => {
    const host = bare(hostname)
    const addresses = literal(host) ?? (await lookup(host))
    if (addresses.length === 0) throw new Error('the name has no address')
    // One private address among public ones is how a name is made to point inwards at the second look.
    if (!allowed.has(`${host}:${port}`) && !addresses.every(({ address }) => isPublicAddress(address))) {
      throw new Forbidden('the name has an address that is not public')
    }
    return addresses
  }
  const mayReach: MayReach = (host, port) =>
    addressesOf(host, port).then(
      () => true,
      () => false,
    )
  return { addressesOf, mayReach }
}

/** A URL that may be asked for at all; where it leads is the guard's matter. Throws Forbidden. */
export const checkedUrl = (url: string | URL, base?: URL): URL => {
  const parsed = URL.parse(String(url), base?.href)
  if (!parsed) throw new Forbidden('not a URL')
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') throw new Forbidden('neither http nor https')
  // Media behind a password is not public, and a name in front of an @ is mostly there to deceive.
  if (parsed.username || parsed.password) throw new Forbidden('the URL carries credentials')
  return parsed
}

export const portOf = (url: URL): number => Number(url.port) || (url.protocol === 'https:' ? 443 : 80)

const bare = (hostname: string): string =>
  hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')

const canonicalOrigin = (entry: string): string => {
  const [, host = '', port = ''] = /^\s*(.*):(\d+)\s*$/.exec(entry) ?? []
  return `${bare(host)}:${port}`
}

const literal = (host: string): Address[] | null => {
  if (!ipaddr.isValid(host)) return null
  const parsed = ipaddr.parse(host)
  // Written out anew: 0x7f.1 is understood here, and must mean the same where it is connected to.
  return [{ address: parsed.toString(), family: parsed.kind() === 'ipv6' ? 6 : 4 }]
}
