import { once } from 'node:events'
import { request } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { selfSigned } from './self-signed.ts'

/** A site over TLS that refuses every client whose handshake is not that of Chrome. */
export interface BrowsersOnly {
  port: number
  /** The requests, in order. */
  requests: { path: string; isBrowser: boolean; userAgent: string }[]
  close(): Promise<void>
}

/** `target`: the URL of an origin that has its pages. `refuseWith`: the status for everybody else. */
export const startBrowsersOnly = async (target: string, refuseWith = 403): Promise<BrowsersOnly> => {
  /** By the client's port. */
  const isOfBrowser = new Map<number | undefined, boolean>()
  const open = new Set<Socket>()
  const requests: BrowsersOnly['requests'] = []
  const https = createHttpsServer(selfSigned, (incoming, outgoing) => {
    const isBrowser = isOfBrowser.get(incoming.socket.remotePort) ?? false
    requests.push({ path: incoming.url ?? '', isBrowser, userAgent: incoming.headers['user-agent'] ?? '' })
    if (!isBrowser) return void outgoing.writeHead(refuseWith, { 'retry-after': '0' }).end('for browsers only')
    const headers = { ...incoming.headers, host: new URL(target).host }
    const forwarded = request(new URL(incoming.url ?? '/', target), { method: incoming.method ?? 'GET', headers })
    forwarded.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.on('error', () => outgoing.destroy()).pipe(outgoing)
    })
    forwarded.on('error', () => outgoing.destroy())
    outgoing.on('close', () => forwarded.destroy())
    forwarded.end()
  })
  const server = createTcpServer(async (socket) => {
    open.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => open.delete(socket))
    const [hello] = (await once(socket, 'data').catch(() => [])) as [Buffer?]
    if (!hello) return
    socket.pause()
    isOfBrowser.set(socket.remotePort, isChromes(hello))
    socket.unshift(hello)
    https.emit('connection', socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    close: async () => {
      server.close()
      for (const socket of open) socket.destroy()
      await once(server, 'close')
    },
  }
}

/** RFC 8701: Chrome's first cipher suite is one that does not exist, to keep servers from choking on new ones. */
const isChromes = (hello: Buffer): boolean => {
  // Record (5), handshake (4), version (2) and random (32), and then the id of the session with its length.
  const session = 5 + 4 + 2 + 32
  const ciphers = session + 1 + (hello[session] ?? 0) + 2
  const [first = 0, second = 1] = hello.subarray(ciphers, ciphers + 2)
  return first === second && (first & 0x0f) === 0x0a
}
