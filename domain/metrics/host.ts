/** Longer than a host name can be. */
const MAX_HOST_LENGTH = 253

/** In lower case, without a port and without a dot at the end: what an operator calls a source or a receiver. */
export const hostOf = (url: string): string =>
  (URL.parse(url)?.hostname ?? '').toLowerCase().replace(/\.$/, '').slice(0, MAX_HOST_LENGTH)
