import { type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import { type NetConnectOpts, Socket } from 'node:net'
import { pipeline } from 'node:stream'

type Written = (error?: Error | null) => void

/**
 * workerd may answer before it has read the whole body, and then closes the connection. Writing the rest fails, and Node
 * would end the connection without reading the answer. So write errors are ignored, and only reading ends a connection.
 */
class AnswerSocket extends Socket {
  override _write(chunk: unknown, encoding: BufferEncoding, written: Written): void {
    super._write(chunk, encoding, unlessClosed(written))
  }

  override _writev(chunks: { chunk: unknown; encoding: BufferEncoding }[], written: Written): void {
    super._writev?.(chunks, unlessClosed(written))
  }
}

const unlessClosed =
  (written: Written): Written =>
  (error) => {
    const { code } = (error ?? {}) as NodeJS.ErrnoException
    written(code === 'EPIPE' || code === 'ECONNRESET' ? null : error)
  }

/**
 * Each request has its own connection. workerd could close a kept one while the next request is on its way, and that
 * request must not be sent again (RFC 9112, section 9.3.1). A connection on this machine costs 0.3 ms of processor time.
 */
const createConnection = (options: object): Socket => new AnswerSocket().connect(options as NetConnectOpts)

/** RFC 9110, section 7.6.1: for the next server only. Node writes its own. */
const hopByHop = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
])

/**
 * Forwards a request and its response as they come in, at the speed of the receiving side. A client that disconnects
 * ends the request. Headers that `response` already has override those of the answer.
 */
export const forward = (
  request: IncomingMessage,
  response: ServerResponse,
  target: URL,
  headers: string[] = [...endToEnd(request.rawHeaders), 'cf-connecting-ip', `${request.socket.remoteAddress}`],
): void => {
  const upstream = send(target, { method: request.method, createConnection, headers, setHost: false })
  upstream.once('response', (answer) => {
    const headersOfAnswer = endToEnd(answer.rawHeaders, (name) => response.hasHeader(name))
    response.writeHead(answer.statusCode ?? 502, headersOfAnswer)
    // The first event of a stream may come much later than its headers.
    response.flushHeaders()
    pipeline(answer, response, () => {})
  })
  upstream.on('error', () => refuse(response, 502))
  response.once('close', () => {
    if (!response.writableFinished) upstream.destroy()
  })
  request.pipe(upstream)
  // Reads the rest of a body that nothing else reads. Otherwise the caller's next request would wait behind it until the
  // connection is reset.
  upstream.once('close', () => request.resume())
}

/** `mf-…` are miniflare's own, and `cf-connecting-ip` is the address of the connection: a caller must not set them. */
const endToEnd = (rawHeaders: string[], isSet: (name: string) => boolean = () => false): string[] =>
  rawHeaders.flatMap((name, index) => {
    if (index % 2 === 1) return []
    const lowercase = name.toLowerCase()
    const isOurs = lowercase === 'cf-connecting-ip' || lowercase.startsWith('mf-')
    return isOurs || hopByHop.has(lowercase) || isSet(lowercase) ? [] : [name, rawHeaders[index + 1] ?? '']
  })

/** Nothing is known of the request's account, so this has no body. */
export const refuse = (response: ServerResponse, status: number): void => {
  if (response.headersSent) response.destroy()
  else response.writeHead(status, { 'content-length': 0 }).end()
}
