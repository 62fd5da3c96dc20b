import { createHash, randomUUID } from 'node:crypto'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Dispatcher, request } from 'undici'
import { checkedUrl, Forbidden } from './guard.ts'

interface ProxyOptions {
  connect(host: string, port: number): Promise<Socket>
  dispatcher: Dispatcher
  socketFolder: string
  idleTimeoutMs: number
  tokenRoute: TokenRoute | null
}

/**
 * Named after the work folder, so that the next start finds and deletes the sockets of a container that was killed. Not
 * inside it: a socket path is limited to 107 bytes, and not every file system supports sockets.
 */
export const socketFolderOf = (workDir: string): string =>
  join(tmpdir(), `haul-${createHash('sha256').update(resolve(workDir)).digest('hex').slice(0, 12)}`)

export const defaultSocketFolder = socketFolderOf(process.cwd())

/**
 * The egress for child processes: an HTTP proxy on a Unix socket. A child without a network can use it, and other
 * processes on the machine cannot find it on a port. Unreachable and forbidden destinations both get a 502.
 */
export const startProxy = async (options: ProxyOptions) => {
  await mkdir(options.socketFolder, { recursive: true, mode: 0o700 })
  // mkdtemp creates folders with mode 0700: other users cannot connect.
  const folder = await mkdtemp(join(options.socketFolder, 'haul-'))
  const socketPath = join(folder, 'proxy')
  const open = new Set<Duplex>()
  const track = (socket: Duplex) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  }
  const server = createServer((incoming, outgoing) => void forward(incoming, outgoing, options))
  server.on('connection', track)
  server.on('connect', (incoming, client, head) => void tunnel(incoming, client, head, options, track))
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(socketPath, resolve))
  // A fork of the extractor with a user of its own gets this one socket, and may not search the folder.
  await chmod(socketPath, 0o666)
  const close = async () => {
    server.close()
    for (const socket of open) socket.destroy()
    await rm(folder, { recursive: true, force: true })
  }
  return { socketPath, close }
}

const forward = async (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { dispatcher, tokenRoute }: ProxyOptions,
) => {
  const clientClosed = new AbortController()
  outgoing.once('close', () => clientClosed.abort())
  try {
    const url = checkedUrl(incoming.url ?? '')
    if (url.hostname === tokenRoute?.host) return await tokenRoute.answer(incoming, outgoing, clientClosed.signal)
    // HTTPS must use a tunnel: forwarding it here would decrypt it.
    if (url.protocol !== 'http:') throw new Forbidden('https without a tunnel')
    const method = incoming.method ?? 'GET'
    const body = hasBody(incoming) ? incoming : null
    const headers = endToEndHeaders(incoming.headers)
    const response = await request(url, { dispatcher, method, headers, body, signal: clientClosed.signal })
    outgoing.writeHead(response.statusCode, endToEndHeaders(response.headers))
    await pipeline(response.body, outgoing)
  } catch {
    if (outgoing.headersSent) outgoing.destroy()
    else outgoing.writeHead(502).end()
  }
}

const tunnel = async (
  incoming: IncomingMessage,
  client: Duplex,
  head: Buffer,
  { connect, idleTimeoutMs }: ProxyOptions,
  track: (socket: Duplex) => void,
) => {
  client.on('error', () => {})
  const [, host = '', port = ''] = /^(.+):(\d+)$/.exec(incoming.url ?? '') ?? []
  const origin = await connect(host, Number(port)).catch(() => null)
  if (!origin) return void client.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
  track(origin)
  if (client.destroyed) return void origin.destroy()
  origin.setTimeout(idleTimeoutMs, () => origin.destroy())
  client.write('HTTP/1.1 200 Connection established\r\n\r\n')
  origin.write(head)
  await pipeline(client, origin, client).catch(() => {})
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  'transfer-encoding' in headers || Number(headers['content-length'] ?? 0) > 0

/** RFC 9110, section 7.6.1: these apply to one connection only. */
const hopByHop = new Set(
  'connection proxy-connection proxy-authorization keep-alive te trailer transfer-encoding upgrade expect'.split(' '),
)

const endToEndHeaders = (headers: IncomingHttpHeaders | Dispatcher.ResponseData['headers']) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name)))

export type RequestToken = (request: Uint8Array, signal: AbortSignal) => Promise<Uint8Array>

type TokenRoute = ReturnType<typeof createTokenRoute>

/** The context of YouTube's player and the text that the token is bound to are about 3 kB. */
const MAX_REQUEST_BYTES = 64 * 1024
/** yt-dlp asks for at most three tokens for each of the few players that it tries. */
const MAX_REQUESTS = 16

/**
 * The token provider is mostly at a private address. The proxy of a fork's egress knows a host name for it that nobody
 * else has, so no page can link or redirect to it. `POST /get_pot` is all that works there.
 */
export const createTokenRoute = (requestToken: RequestToken) => {
  // RFC 2606: no name server has names that end with .invalid.
  const host = `${randomUUID()}.invalid`
  let left = MAX_REQUESTS
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse, signal: AbortSignal): Promise<void> => {
    const body = await requestBodyOf(incoming)
    if (incoming.method !== 'POST' || incoming.url !== `http://${host}/get_pot` || !body) {
      return void outgoing.writeHead(404).end()
    }
    if (left-- <= 0) return void outgoing.writeHead(429).end()
    const token = await requestToken(body, signal)
    outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': token.byteLength }).end(token)
  }
  return { host, answer }
}

const requestBodyOf = async (incoming: IncomingMessage): Promise<Uint8Array | null> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of incoming) {
    size += chunk.byteLength
    if (size <= MAX_REQUEST_BYTES) chunks.push(chunk)
  }
  return size <= MAX_REQUEST_BYTES ? Buffer.concat(chunks) : null
}
