import { Agent, type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import { pipeline } from 'node:stream'

/**
 * workerd closes an idle connection after five seconds. Connections are given up before, so that no request is sent on
 * one that closes at this moment.
 */
const agent = new Agent({ keepAlive: true, timeout: 2_000 })

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
 * Sends a request on to `target` and its response back, as they come in: bodies of any size, ranges, events. Either side
 * is only read as fast as the other takes it. A client that leaves ends the request there too.
 */
export const forward = (
  request: IncomingMessage,
  response: ServerResponse,
  target: URL,
  headers: string[] = endToEnd(request.rawHeaders),
): void => {
  const upstream = send(target, { method: request.method, agent, headers, setHost: false })
  upstream.once('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, endToEnd(answer.rawHeaders))
    // The first event of a stream may come much later than its headers.
    response.flushHeaders()
    pipeline(answer, response, () => {})
  })
  upstream.once('error', () => refuse(response, 502))
  response.once('close', () => {
    if (!response.writableFinished) upstream.destroy()
  })
  pipeline(request, upstream, () => {})
}

/** `mf-…` are miniflare's own: a caller must not set them. */
const endToEnd = (rawHeaders: string[]): string[] =>
  rawHeaders.flatMap((name, index) => {
    if (index % 2 === 1) return []
    const lowercase = name.toLowerCase()
    return hopByHop.has(lowercase) || lowercase.startsWith('mf-') ? [] : [name, rawHeaders[index + 1] ?? '']
  })

/** Nothing is known of the request's account, so this has no body. */
export const refuse = (response: ServerResponse, status: number): void => {
  if (response.headersSent) response.destroy()
  else response.writeHead(status, { 'content-length': 0 }).end()
}
