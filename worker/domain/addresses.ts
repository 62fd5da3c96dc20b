import ipaddr from 'ipaddr.js'

/** All of IPv6 that anybody on the internet may hold; the rest is special or not handed out. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Whether an address belongs to the public internet. IPv6 addresses that carry an IPv4 one inside (mapped,
 * NAT64, 6to4, Teredo) are refused whatever they carry: a name that has only those is no public host.
 */
export const isPublicAddress = (address: string): boolean => {
  if (!isAddress(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  if (parsed instanceof ipaddr.IPv4) return true
  return parsed.match(globalUnicast) && !isIsatap(parsed)
}

/** The host of a URL: an address, or a name that could lead to one. Where it leads is not known here. */
export const isPublicHost = (hostname: string): boolean => {
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  return ipaddr.isValid(host) ? isPublicAddress(host) : host.includes('.') && !privateName.test(host)
}

/** What RFC 6761, 6762, 7686 and 8375 and ICANN keep from the public internet, and what companies took for themselves. */
const privateName = /\.(localhost|local|localdomain|internal|intranet|lan|home|corp|home\.arpa|test|invalid|onion)$/

/** Of IPv4 there are short, octal and hexadecimal spellings too, which programs read in different ways. */
const isAddress = (text: string): boolean =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || (text.includes(':') && ipaddr.IPv6.isValid(text))

/** RFC 5214 hides an IPv4 address, private ones too, behind ::0:5efe: in any prefix. */
const isIsatap = (address: ipaddr.IPv6): boolean => {
  const [, , , , flags = 0, marker] = address.parts
  return (flags & ~0x0200) === 0 && marker === 0x5efe
}
