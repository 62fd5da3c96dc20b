import type { Socket } from 'node:net'
import { Agent, type Dispatcher, type Response } from 'undici'
import { noSourceProxies, type SourceProxies } from '../../domain/source-proxies.ts'
import { withBodyOnDemand } from './body-on-demand.ts'
import { type ConnectOptions, checked, guardedConnector } from './connect.ts'
import type { AddressGuard } from './guard.ts'
import { createLeastSpeed, type LeastSpeed, type SpeedLimits } from './least-speed.ts'
import { defaultSocketFolder, startProxy } from './proxy.ts'
import { fetchChecked, type RequestInit, type Sender } from './requests.ts'
import { createTokenRoute, type RequestToken } from './token-route.ts'
import type { SourceProxyFailed } from './tunnel.ts'

export type Egress = ReturnType<typeof createEgress>

/** How the requests of a step, or of a look-up, reach their source. */
export interface Access {
  /** Which of the routes to each host (SOURCE_PROXIES): the first is 0. */
  readonly route: number
  /** Requests look like a browser's, for sites that refuse all others. They cost more, and are slower. */
  readonly asBrowser: boolean
}

export const plainAccess: Access = { route: 0, asBrowser: false }

export interface EgressOptions {
  guard: AddressGuard
  /** Default: none. */
  sourceProxies?: SourceProxies
  /** Default: by the first route, and not as a browser. */
  access?: Access
  /** Without it, our own requests are never a browser's. */
  createBrowser?: ((needs: BrowserNeeds) => Browser) | undefined
  onProxyFailure?: (failure: SourceProxyFailed) => void
  /** Default: there is no token provider. */
  requestToken?: RequestToken | undefined
  /** Closes everything that is still open. */
  signal?: AbortSignal
  /** The container passes its own (see socketFolderOf). */
  socketFolder?: string | undefined
  timeouts?: Partial<Timeouts>
  leastSpeed?: Partial<SpeedLimits>
}

export interface Timeouts {
  connectMs: number
  /** To connect through a source proxy. yt-dlp waits 15 s for a connection (resolve.py). */
  proxyMs: number
  headersMs: number
  /** Between two chunks of a body. A connection without a byte for this long counts as cut. */
  idleMs: number
}

/** What sends the requests of an access as a browser. */
export interface Browser {
  /** The first call starts its process, and the next one after it has ended. */
  dispatcher(): Promise<Dispatcher>
  close(): Promise<void>
}

export interface BrowserNeeds {
  /** Its network: the guarded proxy of the egress. */
  proxySocket(): Promise<string>
  /** It creates its own folder in this one. */
  socketFolder: string
  timeouts: Pick<Timeouts, 'headersMs' | 'idleMs'>
}

const defaultTimeouts: Timeouts = { connectMs: 5_000, proxyMs: 12_000, headersMs: 15_000, idleMs: 15_000 }

/**
 * Sends every request to addresses that callers chose. Each step has its own Egress: it connects only to addresses
 * that the guard has checked, directly or through a source proxy, and closes all connections when the step ends.
 */
export const createEgress = (options: EgressOptions) => {
  const { guard, sourceProxies = noSourceProxies, access = plainAccess, signal, timeouts } = options
  const { socketFolder = defaultSocketFolder } = options
  const leastSpeed = createLeastSpeed(options.leastSpeed)
  const { connectMs, proxyMs, headersMs, idleMs } = { ...defaultTimeouts, ...timeouts }
  let lastProxyFailure: SourceProxyFailed | null = null
  const onProxyFailure = (failure: SourceProxyFailed) => {
    lastProxyFailure = failure
    options.onProxyFailure?.(failure)
  }
  const received = createByteCounter()
  const connections: ConnectOptions = {
    ...{ guard, sourceProxies, route: access.route, onProxyFailure, onConnected: received.add },
    ...{ timeoutMs: connectMs, proxyTimeoutMs: proxyMs },
  }
  const agent = new Agent({
    connect: guardedConnector(connections),
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
    proxy ??= startProxy({ connections, dispatcher: agent, socketFolder, idleTimeoutMs: idleMs, tokenRoute })
    return (await proxy).socketPath
  }
  const browser =
    (access.asBrowser && options.createBrowser?.({ proxySocket, socketFolder, timeouts: { headersMs, idleMs } })) ||
    null
  const sender = async (): Promise<Sender> => {
    if (!browser) return { dispatcher: agent }
    const check = async ({ hostname, port, protocol }: URL) => {
      await checked(connections, hostname, Number(port) || (protocol === 'https:' ? 443 : 80))
    }
    return { dispatcher: await browser.dispatcher(), check }
  }
  const close = async (): Promise<void> => {
    closed = true
    signal?.removeEventListener('abort', close)
    leastSpeed.close()
    // If it could not start, there is nothing to close.
    await browser?.close()
    await Promise.all([agent.destroy(), proxy?.then((started) => started.close()).catch(() => {})])
  }
  if (signal?.aborted) void close()
  signal?.addEventListener('abort', close, { once: true })
  return {
    /**
     * Follows up to five redirects and checks each target. Throws SourceFailure('SOURCE_UNREACHABLE') when there is no
     * response, also for a forbidden address: the caller must not learn which of the two it was. For retries inside the
     * container, ForbiddenDestination and the second SourceTooSlow are final. Throws SourceProxyFailed when the source
     * proxy of the host fails. Does not check the status. Decodes a compressed body and then removes its
     * content-length. A body that is cut or stalls throws undici's error.
     */
    fetch: async (url: string, init: RequestInit = {}): Promise<Response> => {
      const speed = leastSpeed.signal()
      const failedBefore = lastProxyFailure
      const request = fetchChecked(await sender(), url, { ...init, signal: anyOf(signal, speed, init.signal) })
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

/** What sockets have received. */
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

const anyOf = (...signals: (AbortSignal | undefined)[]): AbortSignal =>
  AbortSignal.any(signals.filter((signal) => signal !== undefined))

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
