import ipaddr from 'ipaddr.js'
import { canonicalHost } from './canonical-host.ts'

/** The only IPv6 range with public addresses; all others are special or unassigned. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/** IPv6 addresses that embed an IPv4 address (mapped, NAT64, 6to4, Teredo) are not public: no host has only those. */
export const isPublicAddress = (address: string): boolean => {
  if (!isAddress(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  if (parsed instanceof ipaddr.IPv4) return true
  return parsed.match(globalUnicast) && !isIsatap(parsed)
}

/** `hostname` is an address or a name. A name is not resolved here, so its addresses must be checked later. */
export const isPublicHost = (hostname: string): boolean => {
  const host = canonicalHost(hostname)
  return ipaddr.isValid(host) ? isPublicAddress(host) : host.includes('.') && !privateName.test(host)
}

/** Reserved by RFC 6761, 6762, 7686, 8375 and ICANN, or commonly used in company networks. */
const privateName = /\.(localhost|local|localdomain|internal|intranet|lan|home|corp|home\.arpa|test|invalid|onion)$/

/** What one caller is likely to have: an IPv4 address, or the 2^64 addresses of a network in IPv6. */
export const networkOf = (address: string): string => {
  if (!isAddress(address)) return address
  const parsed = ipaddr.process(address)
  return parsed instanceof ipaddr.IPv4 ? parsed.toString() : parsed.parts.slice(0, 4).join(':')
}

/** Rejects short, octal and hexadecimal forms of IPv4, which programs interpret differently. */
const isAddress = (text: string): boolean =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || (text.includes(':') && ipaddr.IPv6.isValid(text))

/** ISATAP (RFC 5214) embeds an IPv4 address, which may be private, after ::0:5efe: in any prefix. */
const isIsatap = (address: ipaddr.IPv6): boolean => {
  const [, , , , flags = 0, marker] = address.parts
  return (flags & ~0x0200) === 0 && marker === 0x5efe
}
