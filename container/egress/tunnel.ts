import { once } from 'node:events'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type Socket } from 'node:net'
import { SocksClient } from 'socks'
import type { SourceProxy } from '../../domain/network/source-proxies.ts'
import { SourceFailure } from '../failures.ts'
import type { Address } from './guard.ts'

/** An operator's proxy could not be used. A retry may succeed: many proxies change their exits. */
export class SourceProxyFailed extends SourceFailure {
  readonly proxy: string
  /** Contains no credentials. */
  readonly reason: string
  constructor({ host, port }: SourceProxy, reason: string) {
    super('SOURCE_BLOCKED', "The service's proxy for this source failed. Try again later.")
    this.proxy = authorityOf(host, port)
    this.reason = reason
  }
}

/** The proxy works, and says that it did not reach this address. It may reach another one of the same name. */
class TargetNotReached extends Error {
  /** `cause`: what to report if no other address is reached. */
  constructor(cause: Error) {
    super('the proxy did not reach the address', { cause })
  }
}

const MAX_ATTEMPTS = 3

/**
 * The proxy gets an address and never the name: it connects to what the guard has checked. IPv4 first: a proxy does not
 * say in advance whether it has IPv6, and many have none.
 */
export const openTunnel = async (
  proxy: SourceProxy,
  addresses: Address[],
  port: number,
  timeoutMs: number,
): Promise<Socket> => {
  const until = performance.now() + timeoutMs
  let failure: unknown
  for (const { address } of addresses.toSorted((a, b) => a.family - b.family).slice(0, MAX_ATTEMPTS)) {
    const leftMs = until - performance.now()
    if (leftMs <= 0) break
    try {
      return await openTunnelTo({ host: address, port }, proxy, leftMs)
    } catch (error) {
      failure ??= error instanceof TargetNotReached ? error.cause : error
      if (!(error instanceof TargetNotReached)) break
    }
  }
  throw failure
}

const openTunnelTo = async (target: Target, proxy: SourceProxy, timeoutMs: number): Promise<Socket> => {
  const open = proxy.protocol === 'socks5' ? openWithSocks : openWithConnect
  const socket = await open(proxy, target, timeoutMs)
  // Whoever gets the socket listens for errors too, but only later.
  socket.on('error', () => {})
  return socket.setNoDelay(true)
}

interface Target {
  host: string
  port: number
}

/** HTTP CONNECT (RFC 9110, section 9.3.6). */
const openWithConnect = async (proxy: SourceProxy, target: Target, timeoutMs: number): Promise<Socket> => {
  const answer = await connectAnswer(sendConnect(proxy, target), timeoutMs).catch((error: NodeJS.ErrnoException) => {
    throw new SourceProxyFailed(proxy, error.code ?? error.message)
  })
  const { statusCode = 0 } = answer.response
  if (statusCode >= 200 && statusCode < 300) {
    if (answer.head.length > 0) answer.socket.unshift(answer.head)
    return answer.socket
  }
  answer.socket.destroy()
  const failure = new SourceProxyFailed(proxy, `status ${statusCode}`)
  throw statusCode >= 500 ? new TargetNotReached(failure) : failure
}

const sendConnect = (proxy: SourceProxy, target: Target): ClientRequest => {
  const { host, port, protocol } = proxy
  const authority = authorityOf(target.host, target.port)
  const credentials = proxy.credentials()
  const headers: Record<string, string> = { host: authority }
  if (credentials) {
    const pair = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')
    headers['proxy-authorization'] = `Basic ${pair}`
  }
  // Node would take the server name of TLS from the Host header, which names the target.
  const servername = isIP(host) ? '' : host
  const send = protocol === 'https' ? httpsRequest : httpRequest
  return send({ method: 'CONNECT', host, port, path: authority, headers, servername, agent: false })
}

const connectAnswer = async (request: ClientRequest, timeoutMs: number) => {
  const timer = setTimeout(() => request.destroy(new Error('no answer in time')), timeoutMs)
  request.on('error', () => {})
  try {
    // Node emits this for every status. `head`: what the proxy sent after its answer.
    const [response, socket, head] = await once(request.end(), 'connect')
    return { response, socket, head } as { response: IncomingMessage; socket: Socket; head: Buffer }
  } finally {
    clearTimeout(timer)
  }
}

/** SOCKS5 (RFC 1928) with a user name and a password (RFC 1929). */
const openWithSocks = async (proxy: SourceProxy, target: Target, timeoutMs: number): Promise<Socket> => {
  const { host, port } = proxy
  const { username = '', password = '' } = proxy.credentials() ?? {}
  try {
    const connection = await SocksClient.createConnection({
      proxy: { host, port, type: 5, userId: username, password },
      command: 'connect',
      destination: target,
      timeout: timeoutMs,
    })
    return connection.socket
  } catch (error) {
    // The error itself has the password in its options, so it is never a cause.
    throw socksFailure(proxy, (error as Error).message || 'no connection')
  }
}

/** RFC 1928, section 6: these replies are about the target, and the proxy works. */
const unreachableReplies = /(NetworkUnreachable|HostUnreachable|ConnectionRefused|TTLExpired)$/
/** And this one says that the proxy has no IPv6, for example. */
const unsupportedAddress = /AddressNotSupported$/

const socksFailure = (proxy: SourceProxy, message: string): Error => {
  if (unreachableReplies.test(message)) return new TargetNotReached(new Error(message))
  const failure = new SourceProxyFailed(proxy, message)
  return unsupportedAddress.test(message) ? new TargetNotReached(failure) : failure
}

const authorityOf = (host: string, port: number): string => `${host.includes(':') ? `[${host}]` : host}:${port}`
