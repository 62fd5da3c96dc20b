import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Dispatcher, request } from 'undici'
import { guardedSocket } from './connect.ts'
import { checkedUrl, Forbidden, type Guard } from './guard.ts'
import type { Count } from './meter.ts'

/**
 * The way out for child processes: an HTTP proxy on a Unix socket, so that a child without any network can
 * use it and nobody else on the machine finds it on a port. Whatever cannot be reached, and whatever must
 * not be, is the same 502.
 */
export interface Proxy {
  readonly socketPath: string
  close(): Promise<void>
}

export interface ProxyOptions {
  guard: Guard
  /** Guarded and metered already. */
  dispatcher: Dispatcher
  count: Count
  /** Where it makes a folder of its own. */
  socketFolder: string
  connectTimeoutMs: number
  idleTimeoutMs: number
}

export const startProxy = async (options: ProxyOptions): Promise<Proxy> => {
  await mkdir(options.socketFolder, { recursive: true, mode: 0o700 })
  // Made by mkdtemp it is ours alone (0700).
  const folder = await mkdtemp(join(options.socketFolder, 'haul-'))
  const socketPath = join(folder, 'proxy')
  const open = new Set<Duplex>()
  const keep = (socket: Duplex) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  }
  const server = createServer((incoming, answer) => void forward(incoming, answer, options))
  server.on('connection', keep)
  server.on('connect', (incoming, client, head) => void tunnel(incoming, client, head, options, keep))
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(socketPath, resolve))
  const close = async () => {
    server.close()
    for (const socket of open) socket.destroy()
    await rm(folder, { recursive: true, force: true })
  }
  return { socketPath, close }
}

const forward = async (incoming: IncomingMessage, answer: ServerResponse, { dispatcher }: ProxyOptions) => {
  const gone = new AbortController()
  answer.once('close', () => gone.abort())
  try {
    const url = checkedUrl(incoming.url ?? '')
    // Encrypted requests come as tunnels; taking one here would mean to read it.
    if (url.protocol !== 'http:') throw new Forbidden('https without a tunnel')
    const method = incoming.method ?? 'GET'
    const body = hasBody(incoming) ? incoming : null
    const headers = endToEnd(incoming.headers)
    const response = await request(url, { dispatcher, method, headers, body, signal: gone.signal })
    answer.writeHead(response.statusCode, endToEnd(response.headers))
    await pipeline(response.body, answer)
  } catch {
    if (answer.headersSent) answer.destroy()
    else answer.writeHead(502).end()
  }
}

const tunnel = async (
  incoming: IncomingMessage,
  client: Duplex,
  head: Buffer,
  { guard, count, connectTimeoutMs, idleTimeoutMs }: ProxyOptions,
  keep: (socket: Duplex) => void,
) => {
  client.on('error', () => {})
  const [, host = '', port = ''] = /^(.+):(\d+)$/.exec(incoming.url ?? '') ?? []
  const origin = await guardedSocket(guard, host, Number(port), connectTimeoutMs).catch(() => null)
  if (!origin) return void client.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
  keep(origin)
  if (client.destroyed) return void origin.destroy()
  origin.setTimeout(idleTimeoutMs, () => origin.destroy())
  origin.on('data', (chunk: Buffer) => count(chunk.length))
  client.write('HTTP/1.1 200 Connection established\r\n\r\n')
  origin.write(head)
  await pipeline(client, origin, client).catch(() => {})
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  'transfer-encoding' in headers || Number(headers['content-length'] ?? 0) > 0

/** RFC 9110, 7.6.1: these speak of one connection only. */
const hopByHop = new Set(
  'connection proxy-connection proxy-authorization keep-alive te trailer transfer-encoding upgrade expect'.split(' '),
)

const endToEnd = (headers: IncomingHttpHeaders | Dispatcher.ResponseData['headers']) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name)))
