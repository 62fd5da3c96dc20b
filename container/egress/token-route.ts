import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Sends what a child process asks of the operator's token provider, and returns its answer. Rejects when there is none. */
export type RequestToken = (request: Uint8Array, signal: AbortSignal) => Promise<Uint8Array>

export type TokenRoute = ReturnType<typeof createTokenRoute>

/** The context of YouTube's player and the text that the token is bound to are about 3 kB. */
const MAX_REQUEST_BYTES = 64 * 1024
/** yt-dlp asks for at most three tokens for each of the few players that it tries. */
const MAX_REQUESTS = 16

/**
 * How a fork of yt-dlp reaches the token provider, which is mostly at a private address. The proxy of the fork's egress
 * knows a host name for it that nobody else has: no page can link or redirect to it, and outside of this proxy it does not
 * exist. `POST /get_pot` is all that works there.
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

/** null: it is too long. */
const requestBodyOf = async (incoming: IncomingMessage): Promise<Uint8Array | null> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of incoming) {
    size += chunk.byteLength
    if (size <= MAX_REQUEST_BYTES) chunks.push(chunk)
  }
  return size <= MAX_REQUEST_BYTES ? Buffer.concat(chunks) : null
}
