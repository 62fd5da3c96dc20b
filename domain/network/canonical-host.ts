/** Lower case, without the brackets of an IPv6 literal and the final dot of a fully qualified name. */
export const canonicalHost = (hostname: string): string =>
  hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
