import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { selfSigned } from './self-signed.ts'

/** A proxy as an operator rents one. Every target leads to one port of this machine, as the tests have no internet. */
export interface TestProxy {
  /** With the user name and the password. */
  url: string
  port: number
  /** `host:port` of each request that was let in, in order. */
  targets: string[]
  close(): Promise<void>
}

export interface TestProxyOptions {
  /** The port that all targets lead to, unless `portOf` says otherwise. */
  port: number
  portOf?: (target: string) => number
  /** Expected. Default: none are asked for. */
  username?: string
  password?: string
  /** Instead of a connection: the status of CONNECT, or the reply of SOCKS. */
  refuseWith?: (target: string) => number | null
}

/** Connections come from this address, so that an origin can tell them from direct ones. */
export const proxiesAddress = '127.0.0.2'

/** CONNECT with Basic authentication. Other requests get 501, as from a proxy that only tunnels. */
export const startConnectProxy = async (protocol: 'http' | 'https', options: TestProxyOptions): Promise<TestProxy> => {
  const { username = '', password = '', refuseWith } = options
  const server = protocol === 'https' ? createHttpsServer(selfSigned) : createHttpServer()
  const expected = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const targets: string[] = []
  server.on('request', (_, response) => response.writeHead(501).end())
  server.on('connect', (request, client: Duplex) => {
    const target = request.url ?? ''
    client.on('error', () => {})
    const answer = (status: number) => client.end(`HTTP/1.1 ${status} Refused\r\nContent-Length: 0\r\n\r\n`)
    if (username && request.headers['proxy-authorization'] !== expected) return answer(407)
    targets.push(target)
    const status = refuseWith?.(target)
    if (status) return answer(status)
    relay(client, target, options, (isOpen) => {
      if (isOpen) client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      else answer(502)
    })
  })
  return listening(server, protocol, options, targets)
}

const VERSION = 5
const USER_PASSWORD = 2
const NONE_ACCEPTABLE = 0xff
const CONNECTION_REFUSED = 5

/** SOCKS5 (RFC 1928) with a user name and password (RFC 1929). */
export const startSocksProxy = async (options: TestProxyOptions): Promise<TestProxy> => {
  const targets: string[] = []
  const server = createTcpServer((client) => void serveSocks(client, options, targets).catch(() => client.destroy()))
  return listening(server, 'socks5', options, targets)
}

const serveSocks = async (client: Socket, options: TestProxyOptions, targets: string[]): Promise<void> => {
  client.on('error', () => {})
  const { username = '', password = '', refuseWith } = options
  const [, methods = 0] = await take(client, 2)
  const offered = [...(await take(client, methods))]
  const method = username ? USER_PASSWORD : 0
  if (!offered.includes(method)) return void client.end(Buffer.from([VERSION, NONE_ACCEPTABLE]))
  client.write(Buffer.from([VERSION, method]))
  if (method === USER_PASSWORD) {
    const [, nameLength = 0] = await take(client, 2)
    const name = String(await take(client, nameLength))
    const secret = String(await take(client, (await take(client, 1))[0] ?? 0))
    const isRight = name === username && secret === password
    client.write(Buffer.from([1, isRight ? 0 : 1]))
    if (!isRight) return void client.end()
  }
  const [, , , kind] = await take(client, 4)
  const host = kind === 1 ? [...(await take(client, 4))].join('.') : await longHost(client, kind)
  const target = `${host}:${(await take(client, 2)).readUInt16BE()}`
  targets.push(target)
  const reply = (code: number) => client.write(Buffer.from([VERSION, code, 0, 1, 0, 0, 0, 0, 0, 0]))
  const refused = refuseWith?.(target)
  if (refused) {
    reply(refused)
    return void client.end()
  }
  relay(client, target, options, (isOpen) => reply(isOpen ? 0 : CONNECTION_REFUSED))
}

const longHost = async (client: Socket, kind: number | undefined): Promise<string> => {
  if (kind === 3) return String(await take(client, (await take(client, 1))[0] ?? 0))
  const address = await take(client, 16)
  return `[${address.toString('hex').match(/..../g)?.join(':')}]`
}

const take = async (client: Socket, bytes: number): Promise<Buffer> => {
  if (bytes === 0) return Buffer.alloc(0)
  for (;;) {
    const taken = client.read(bytes)
    if (taken) return taken
    await once(client, 'readable')
    if (client.readableEnded || client.destroyed) throw new Error('closed')
  }
}

const relay = (
  client: Duplex,
  target: string,
  { port, portOf }: TestProxyOptions,
  answer: (isOpen: boolean) => void,
): void => {
  const origin = connect({ host: '127.0.0.1', port: portOf?.(target) ?? port, localAddress: proxiesAddress })
  origin.once('connect', () => {
    answer(true)
    client.pipe(origin).pipe(client)
  })
  origin.once('error', () => {
    answer(false)
    client.end()
  })
  client.once('close', () => origin.destroy())
  origin.once('close', () => client.destroy())
}

const listening = async (
  server: Server,
  protocol: string,
  { username, password }: TestProxyOptions,
  targets: string[],
): Promise<TestProxy> => {
  const open = new Set<Socket>()
  server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const credentials = username ? `${encodeURIComponent(username)}:${encodeURIComponent(password ?? '')}@` : ''
  const close = async () => {
    server.close()
    for (const socket of open) socket.destroy()
    await once(server, 'close')
  }
  return { url: `${protocol}://${credentials}127.0.0.1:${port}`, port, targets, close }
}
