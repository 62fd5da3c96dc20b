import type { LookupFunction, Socket } from 'node:net'
import { buildConnector } from 'undici'
import { isPublicAddress } from '../../domain/addresses.ts'
import type { SourceProxies, SourceProxy } from '../../domain/source-proxies.ts'
import type { Address, AddressGuard } from './guard.ts'
import { openTunnel, SourceProxyFailed, TargetNotReached } from './tunnel.ts'

/** How an egress makes its connections. */
export interface ConnectOptions {
  guard: AddressGuard
  sourceProxies: SourceProxies
  /** Which of the routes to a host. A host with fewer has its last one. */
  route: number
  /** The limit of a name's lookup, and then of a connection. */
  timeoutMs: number
  /** The limit of a tunnel through a source proxy, which may be far away and choose an exit first, and then for TLS. */
  proxyTimeoutMs: number
  onProxyFailure(failure: SourceProxyFailed): void
  onConnected(socket: Socket): void
}

/**
 * Connects to the addresses that were checked: between the check of a name and a second lookup the
 * name may have changed (DNS rebinding). TLS still uses the name.
 */
export const guardedConnector =
  (options: ConnectOptions): buildConnector.connector =>
  (target, notify) => {
    const callback: buildConnector.Callback = (...result) => {
      if (result[1]) options.onConnected(result[1])
      notify(...result)
    }
    const isHttps = target.protocol === 'https:'
    const port = Number(target.port) || (isHttps ? 443 : 80)
    const { timeoutMs, proxyTimeoutMs } = options
    routeTo(options, target.hostname, port).then(
      ({ addresses, tunnel }) => {
        if (!tunnel) direct(addresses, timeoutMs)(target, callback)
        else if (!isHttps) callback(null, tunnel)
        else {
          // Some proxies accept a tunnel at once and connect afterwards, so TLS may take as long.
          const connectTls = buildConnector({ allowH2: false, timeout: proxyTimeoutMs })
          connectTls({ ...target, httpSocket: tunnel }, callback)
        }
      },
      (error) => callback(error, null),
    )
  }

/** A plain connection, for the tunnels of child processes. */
export const guardedSocket = async (options: ConnectOptions, host: string, port: number): Promise<Socket> => {
  const { addresses, tunnel } = await routeTo(options, host, port)
  const socket = tunnel ?? (await connectTo(addresses, host, port, options))
  options.onConnected(socket)
  return socket
}

const connectTo = (addresses: Address[], host: string, port: number, { timeoutMs }: ConnectOptions): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const target = { protocol: 'http:', hostname: host, port: `${port}` }
    direct(addresses, timeoutMs)(target, (error, socket) => (socket ? resolve(socket) : reject(error)))
  })

const direct = (addresses: Address[], timeout: number) =>
  buildConnector({ ...pinned(addresses), allowH2: false, timeout })

interface Opened {
  /** Checked. */
  addresses: Address[]
  /** To one of them, if the host has a source proxy. */
  tunnel: Socket | null
}

const routeTo = async (options: ConnectOptions, host: string, port: number): Promise<Opened> => {
  const addresses = await checked(options, host, port)
  // ALLOW_PRIVATE_HOSTS allows an address of this network. In the proxy's network it is another machine.
  const isPublic = addresses.every(({ address }) => isPublicAddress(address))
  const proxy = isPublic ? routeOf(options, host) : null
  return { addresses, tunnel: proxy && (await tunnelToOneOf(addresses, port, proxy, options)) }
}

const routeOf = ({ sourceProxies, route }: ConnectOptions, host: string): SourceProxy | null => {
  const routes = sourceProxies.routesTo(host)
  return routes[Math.min(route, routes.length - 1)] ?? null
}

const MAX_TUNNEL_ATTEMPTS = 3

/** IPv4 first: a proxy does not say in advance whether it has IPv6, and many have none. */
const tunnelToOneOf = async (
  addresses: Address[],
  port: number,
  proxy: SourceProxy,
  { proxyTimeoutMs, onProxyFailure }: ConnectOptions,
): Promise<Socket> => {
  const until = performance.now() + proxyTimeoutMs
  let failure: unknown
  for (const { address } of addresses.toSorted((a, b) => a.family - b.family).slice(0, MAX_TUNNEL_ATTEMPTS)) {
    const leftMs = until - performance.now()
    if (leftMs <= 0) break
    try {
      return await openTunnel(proxy, address, port, leftMs)
    } catch (error) {
      failure ??= error instanceof TargetNotReached ? error.failure : error
      if (!(error instanceof TargetNotReached)) break
    }
  }
  if (failure instanceof SourceProxyFailed) onProxyFailure(failure)
  throw failure
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

/** The addresses of a host that may be reached. Throws Forbidden. */
export const checked = (
  { guard, timeoutMs }: Pick<ConnectOptions, 'guard' | 'timeoutMs'>,
  host: string,
  port: number,
): Promise<Address[]> => {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('lookup timed out')), timeoutMs)
  return Promise.race([guard.addressesOf(host, port), late]).finally(() => clearTimeout(timer))
}
