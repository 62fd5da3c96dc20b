import { connect, type LookupFunction, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { buildConnector } from 'undici'
import type { Address, AddressGuard } from './guard.ts'

/**
 * Connects to the addresses that were checked: between the check of a name and a second lookup the
 * name may have changed (DNS rebinding). TLS still uses the name.
 */
export const guardedConnector =
  (guard: AddressGuard, timeoutMs: number): buildConnector.connector =>
  (options, callback) => {
    const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80)
    checked(guard, options.hostname, port, timeoutMs).then(
      (addresses) => buildConnector({ ...pinned(addresses), allowH2: false, timeout: timeoutMs })(options, callback),
      (error) => callback(error, null),
    )
  }

/** A plain connection, for tunnels. */
export const guardedSocket = async (
  guard: AddressGuard,
  host: string,
  port: number,
  timeoutMs: number,
): Promise<Socket> => {
  const addresses = await checked(guard, host, port, timeoutMs)
  return await new Promise((resolve, reject) => {
    const socket = connect({ host, port, ...pinned(addresses), noDelay: true })
    const timer = setTimeout(() => socket.destroy(new Error('connect timed out')), timeoutMs)
    socket.once('connect', () => resolve(socket))
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('closed')))
    for (const end of ['connect', 'error', 'close']) socket.once(end, () => clearTimeout(timer))
  })
}

/** Node calls this instead of the resolver and tries the addresses in order (RFC 8305). */
const pinned = (addresses: Address[]): { lookup: LookupFunction; autoSelectFamily: boolean } => ({
  autoSelectFamily: true,
  lookup: (_hostname, options, callback) => {
    const [first] = addresses
    if (options.all) callback(null, addresses)
    else callback(null, first?.address ?? '', first?.family)
  },
})

const checked = async (guard: AddressGuard, host: string, port: number, timeoutMs: number): Promise<Address[]> => {
  const done = new AbortController()
  const late = delay(timeoutMs, undefined, { signal: done.signal }).then(() => {
    throw new Error('lookup timed out')
  })
  try {
    return await Promise.race([guard.addressesOf(host, port), late])
  } finally {
    late.catch(() => {})
    done.abort()
  }
}
