import { lookup as resolveName } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'
import { isPublicAddress } from '../../domain/network/addresses.ts'
import { canonicalHost } from '../../domain/network/canonical-host.ts'

export type AddressGuard = ReturnType<typeof createGuard>

export interface Address {
  address: string
  family: 4 | 6
}

export type Lookup = (hostname: string) => Promise<Address[]>

export const systemLookup: Lookup = async (hostname) => {
  const addresses = await resolveName(hostname, { all: true, order: 'verbatim' })
  return addresses.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }))
}

interface GuardOptions {
  /** ALLOW_PRIVATE_HOSTS: `host:port`, separated by commas, compared as written in the URL. */
  allow?: string | undefined
  lookup: Lookup
  /** The operator's own. Some let our address in without a password, so a URL must not lead to them. */
  ownHosts?: readonly string[]
}

/** A retry cannot succeed. A name without addresses may resolve later, so it is a plain Error. */
export class Forbidden extends Error {}

export const createGuard = ({ allow = '', lookup, ownHosts = [] }: GuardOptions) => {
  const allowed = new Set(allow.split(',').map(canonicalEntry))
  const ownAddresses = addressesOfHosts(ownHosts, lookup)
  /** All addresses of the name, in the order to try them. Throws Forbidden when one of them is not public. */
  const addressesOf = async (hostname: string, port: number): Promise<Address[]> => {
    const host = canonicalHost(hostname)
    const addresses = literalAddress(host) ?? (await lookup(host))
    if (addresses.length === 0) throw new Error('the name has no addresses')
    // DNS rebinding: a private address among public ones would be used when the public ones refuse the connection.
    if (allowed.has(`${host}:${port}`)) return addresses
    if (!addresses.every(({ address }) => isPublicAddress(address))) {
      throw new Forbidden('the name has an address that is not public')
    }
    const own = await ownAddresses()
    if (addresses.some(({ address }) => own.has(address))) throw new Forbidden("the address of an operator's server")
    return addresses
  }
  /** POST /resolve asks it: in development the Worker checks its own targets here, because it cannot look up names. */
  const mayReach = (host: string, port: number): Promise<boolean> =>
    addressesOf(host, port).then(
      () => true,
      () => false,
    )
  return { addressesOf, mayReach }
}

const REFRESH_MS = 60_000

/** The addresses of all these hosts, looked up again every minute. A name that cannot be looked up has none. */
const addressesOfHosts = (hosts: readonly string[], lookup: Lookup): (() => Promise<ReadonlySet<string>>) => {
  let refreshedAt = Number.NEGATIVE_INFINITY
  let current: Promise<ReadonlySet<string>> = Promise.resolve(new Set())
  const find = async (): Promise<ReadonlySet<string>> => {
    const found = await Promise.all(hosts.map((host) => literalAddress(host) ?? lookup(host).catch(() => [])))
    return new Set(found.flat().map(({ address }) => address))
  }
  return () => {
    if (hosts.length > 0 && performance.now() - refreshedAt >= REFRESH_MS) {
      refreshedAt = performance.now()
      current = find()
    }
    return current
  }
}

/** Checks the URL itself; its host is checked when connecting. Throws Forbidden. */
export const checkedUrl = (url: string | URL, base?: URL): URL => {
  const parsed = URL.parse(String(url), base?.href)
  if (!parsed) throw new Forbidden('not a URL')
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') throw new Forbidden('neither http nor https')
  // Media behind a password is not public, and a user name mostly serves to disguise the host.
  if (parsed.username || parsed.password) throw new Forbidden('the URL contains credentials')
  return parsed
}

const canonicalEntry = (entry: string): string => {
  const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(entry.trim()) ?? []
  return `${canonicalHost(host)}:${port}`
}

/** null for a name. Notations such as 0x7f.1 are normalized, so that the check and the connection agree. */
const literalAddress = (host: string): Address[] | null => {
  if (!ipaddr.isValid(host)) return null
  const parsed = ipaddr.parse(host)
  return [{ address: parsed.toString(), family: parsed.kind() === 'ipv6' ? 6 : 4 }]
}
