import { lookup } from 'node:dns/promises'
import type { Lookup } from './guard.ts'

/** The system's resolver, hosts file included, in the order in which it prefers the addresses. */
export const systemLookup: Lookup = async (hostname) => {
  const addresses = await lookup(hostname, { all: true, order: 'verbatim' })
  return addresses.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }))
}
