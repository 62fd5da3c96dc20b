import type { LookupFunction, Socket } from 'node:net'
import { Agent, buildConnector, type Dispatcher, type Response } from 'undici'
import { isPublicAddress } from '../../domain/network/addresses.ts'
import { noSourceProxies, type SourceProxies } from '../../domain/network/source-proxies.ts'
import type { Address, AddressGuard } from './guard.ts'
import { createLeastSpeed, type LeastSpeed, type SpeedLimits } from './least-speed.ts'
import { createTokenRoute, defaultSocketFolder, type RequestToken, startProxy } from './proxy.ts'
import { fetchChecked, type RequestInit, type Sender, withBodyOnDemand } from './requests.ts'
import { openTunnel, SourceProxyFailed } from './tunnel.ts'

export type Egress = ReturnType<typeof createEgress>

export interface Access {
  /** Which of the routes to each host (SOURCE_PROXIES): the first is 0. A host with fewer routes uses its last one. */
  readonly route: number
  /** Requests look like a browser's, for sites that refuse all others. They cost more, and are slower. */
  readonly asBrowser: boolean
}

export const plainAccess: Access = { route: 0, asBrowser: false }

/** For an egress that has no source proxies and no token provider, and counts no bytes. */
export const plainEgress = { tokenHost: null, lastProxyFailure: null, readBytes: 0, access: plainAccess } as const

export interface EgressOptions {
  guard: AddressGuard
  sourceProxies?: SourceProxies
  access?: Access
  createBrowser?: ((needs: BrowserNeeds) => Browser) | undefined
  onProxyFailure?: (failure: SourceProxyFailed) => void
  requestToken?: RequestToken | undefined
  signal?: AbortSignal
  socketFolder?: string | undefined
  timeouts?: Partial<Timeouts>
  leastSpeed?: Partial<SpeedLimits>
}

interface Timeouts {
  /** The limit of a name's lookup, and then of a connection. */
  connectMs: number
  /** A source proxy may be far away and choose an exit first. yt-dlp waits 15 s for a connection (resolve.py). */
  proxyMs: number
  headersMs: number
  /** Between two chunks of a body. A connection without a byte for this long counts as cut. */
  idleMs: number
}

export interface Browser {
  /** The first call starts its process, and the next one after it has ended. */
  dispatcher(): Promise<Dispatcher>
  close(): Promise<void>
}

export interface BrowserNeeds {
  /** Its network: the guarded proxy of the egress. */
  proxySocket(): Promise<string>
  socketFolder: string
  timeouts: Pick<Timeouts, 'headersMs' | 'idleMs'>
}

const defaultTimeouts: Timeouts = { connectMs: 5_000, proxyMs: 12_000, headersMs: 15_000, idleMs: 15_000 }

/**
 * Sends every request to addresses that callers chose. Each step has its own Egress: it connects only to addresses
 * that the guard has checked, directly or through a source proxy, and closes all connections when the step ends.
 */
export const createEgress = (options: EgressOptions) => {
  const { access = plainAccess, signal, socketFolder = defaultSocketFolder, createBrowser } = options
  const leastSpeed = createLeastSpeed(options.leastSpeed)
  const timeouts = { ...defaultTimeouts, ...options.timeouts }
  const { headersMs, idleMs } = timeouts
  let lastProxyFailure: SourceProxyFailed | null = null
  const onProxyFailure = (failure: SourceProxyFailed) => {
    lastProxyFailure = failure
    options.onProxyFailure?.(failure)
  }
  const received = createByteCounter()
  const connections = createConnections({ ...options, access, timeouts, onProxyFailure, onConnected: received.add })
  const agent = new Agent({
    connect: connections.connector,
    // Parallel ranges need one connection each. HTTP/2 would send them as streams of one connection.
    allowH2: false,
    headersTimeout: headersMs,
    bodyTimeout: idleMs,
  })
  const tokenRoute = options.requestToken ? createTokenRoute(options.requestToken) : null
  let proxy: ReturnType<typeof startProxy> | null = null
  let closed = false
  const proxySocket = async (): Promise<string> => {
    if (closed) throw new Error('the egress is closed')
    const { connect } = connections
    proxy ??= startProxy({ connect, dispatcher: agent, socketFolder, idleTimeoutMs: idleMs, tokenRoute })
    return (await proxy).socketPath
  }
  const browser = access.asBrowser ? createBrowser?.({ proxySocket, socketFolder, timeouts }) : undefined
  const sender = async (): Promise<Sender> => {
    if (!browser) return { dispatcher: agent }
    const check = async ({ hostname, port, protocol }: URL) => {
      await connections.checked(hostname, Number(port) || (protocol === 'https:' ? 443 : 80))
    }
    return { dispatcher: await browser.dispatcher(), check }
  }
  const close = async (): Promise<void> => {
    closed = true
    signal?.removeEventListener('abort', close)
    leastSpeed.close()
    await browser?.close()
    await Promise.all([agent.destroy(), proxy?.then((started) => started.close()).catch(() => {})])
  }
  if (signal?.aborted) void close()
  signal?.addEventListener('abort', close, { once: true })
  return {
    /**
     * Follows up to five redirects and checks each target. Throws SourceFailure('SOURCE_UNREACHABLE') when there is no
     * response, also for a forbidden address: the caller must not learn which of the two it was. Does not check the
     * status. Decodes a compressed body and then removes its content-length.
     */
    fetch: async (url: string, init: RequestInit = {}): Promise<Response> => {
      const speed = leastSpeed.signal()
      const failedBefore = lastProxyFailure
      const signals = [signal, speed, init.signal].filter((each) => each !== undefined)
      const request = fetchChecked(await sender(), url, { ...init, signal: AbortSignal.any(signals) })
      const response = await leastSpeed.during(request).catch((error) => {
        // The browser saw a 502.
        throw browser && lastProxyFailure !== failedBefore ? lastProxyFailure : error
      })
      return withMeasuredBody(response, leastSpeed, speed)
    },
    /** Unix socket of a filtering HTTP proxy (plain requests and CONNECT) for child processes. The first call starts it. */
    proxySocket,
    access,
    /** The name of the token provider's host in this proxy. Only a fork of yt-dlp may know it. */
    tokenHost: tokenRoute?.host ?? null,
    /** The last failure of a source proxy, for requests of child processes too: they see only a 502. */
    get lastProxyFailure(): SourceProxyFailed | null {
      return lastProxyFailure
    },
    /** What all its connections have received, those for child processes too. */
    get readBytes(): number {
      return received.bytes
    },
    close,
  }
}

interface ConnectionOptions extends Pick<EgressOptions, 'guard' | 'sourceProxies'> {
  access: Access
  timeouts: Timeouts
  onProxyFailure(failure: SourceProxyFailed): void
  onConnected(socket: Socket): void
}

/**
 * Connects to the addresses that were checked: between the check of a name and a second lookup the
 * name may have changed (DNS rebinding). TLS still uses the name.
 */
const createConnections = (options: ConnectionOptions) => {
  const { guard, sourceProxies = noSourceProxies, access, timeouts, onProxyFailure, onConnected } = options
  /** The addresses of a host that may be reached. Throws Forbidden. */
  const checked = (host: string, port: number): Promise<Address[]> => {
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(new Error('lookup timed out')), timeouts.connectMs)
    return Promise.race([guard.addressesOf(host, port), late]).finally(() => clearTimeout(timer))
  }
  const routeTo = async (host: string, port: number): Promise<{ addresses: Address[]; tunnel: Socket | null }> => {
    const addresses = await checked(host, port)
    // ALLOW_PRIVATE_HOSTS allows an address of this network. In the proxy's network it is another machine.
    const routes = addresses.every(({ address }) => isPublicAddress(address)) ? sourceProxies.routesTo(host) : []
    const proxy = routes[Math.min(access.route, routes.length - 1)]
    if (!proxy) return { addresses, tunnel: null }
    try {
      return { addresses, tunnel: await openTunnel(proxy, addresses, port, timeouts.proxyMs) }
    } catch (failure) {
      if (failure instanceof SourceProxyFailed) onProxyFailure(failure)
      throw failure
    }
  }
  const direct = (addresses: Address[]) =>
    buildConnector({ ...pinned(addresses), allowH2: false, timeout: timeouts.connectMs })
  const connector: buildConnector.connector = (target, notify) => {
    const callback: buildConnector.Callback = (...result) => {
      if (result[1]) onConnected(result[1])
      notify(...result)
    }
    const isHttps = target.protocol === 'https:'
    routeTo(target.hostname, Number(target.port) || (isHttps ? 443 : 80)).then(
      ({ addresses, tunnel }) => {
        if (!tunnel) direct(addresses)(target, callback)
        else if (!isHttps) callback(null, tunnel)
        else {
          // Some proxies accept a tunnel at once and connect afterwards, so TLS may take as long.
          const connectTls = buildConnector({ allowH2: false, timeout: timeouts.proxyMs })
          connectTls({ ...target, httpSocket: tunnel }, callback)
        }
      },
      (error) => callback(error, null),
    )
  }
  const connect = (host: string, port: number): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const target = { protocol: 'http:', hostname: host, port: `${port}` }
      connector(target, (error, socket) => (socket ? resolve(socket) : reject(error)))
    })
  return { checked, connector, connect }
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

const createByteCounter = () => {
  const open = new Set<Socket>()
  let bytesOfClosed = 0
  return {
    add: (socket: Socket) => {
      open.add(socket)
      socket.once('close', () => {
        open.delete(socket)
        bytesOfClosed += socket.bytesRead
      })
    },
    get bytes() {
      return [...open].reduce((sum, { bytesRead }) => sum + bytesRead, bytesOfClosed)
    },
  }
}

/** The body is read on demand, so that the time of each read is a wait for the source. */
const withMeasuredBody = (response: Response, leastSpeed: LeastSpeed, speed: AbortSignal): Response =>
  withBodyOnDemand(response, async (next) => {
    const chunk = await leastSpeed.during(next()).catch((error) => {
      speed.throwIfAborted()
      throw error
    })
    if (chunk.done) leastSpeed.completed()
    else leastSpeed.received(chunk.value.byteLength)
    return chunk
  })
