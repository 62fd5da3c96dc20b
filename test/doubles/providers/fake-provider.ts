import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { listenOnLoopback } from '../../support/loopback.ts'
import { sha256 } from '../../support/sha256.ts'

/** A request that a fake provider received. Bodies are recorded as size and digest, and as text if they are small. */
export interface SeenRequest {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  sizeBytes: number
  sha256: string
  text: string
  /** Multipart fields, in order. */
  fields: [name: string, value: string][]
}

export interface RequestWithBody extends SeenRequest {
  body: Buffer
}

export interface FakeResponse {
  status: number
  headers?: Record<string, string>
  /** An object is sent as JSON, a string unchanged. */
  body: object | string
}

/** `silence`: the provider never responds. */
export type ScriptedResponse = FakeResponse | 'hang up' | 'silence'

export interface FakeProvider {
  /** The value of the provider's base URL setting. */
  url: string
  requests: SeenRequest[]
  /** Scripts the response to the next request (whose `METHOD /path` matches). */
  next(response: ScriptedResponse, on?: RegExp): void
  close(): Promise<void>
}

const MAX_TEXT_BYTES = 64 * 1024

export const startFakeProvider = async (
  respond: (request: RequestWithBody) => FakeResponse | Promise<FakeResponse>,
  basePath = '',
): Promise<FakeProvider> => {
  const requests: SeenRequest[] = []
  const script: { response: ScriptedResponse; on: RegExp }[] = []

  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const request = await readRequest(incoming)
    const { body: _, ...seen } = request
    requests.push(seen)
    const at = script.findIndex(({ on }) => on.test(`${request.method} ${request.path}`))
    const response = at >= 0 ? script.splice(at, 1)[0]?.response : await respond(request)
    if (response === 'hang up') incoming.socket.destroy()
    else if (response && response !== 'silence') send(outgoing, response)
    // `respond` has parsed the fields.
    seen.fields = request.fields
  }

  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch((error: unknown) => outgoing.destroy(error as Error))
  })
  const { url, close } = await listenOnLoopback(server)
  // A fake that is never closed must not keep its process alive.
  server.unref()
  return {
    url: `${url}${basePath}`,
    requests,
    next: (response, on = /./) => {
      script.push({ response, on })
    },
    close,
  }
}

const readRequest = async (incoming: IncomingMessage): Promise<RequestWithBody> => {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  const url = new URL(incoming.url ?? '/', 'http://fake')
  return {
    method: incoming.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: incoming.headers,
    sizeBytes: body.byteLength,
    sha256: sha256(body),
    text: body.byteLength <= MAX_TEXT_BYTES ? body.toString('utf8') : '',
    fields: [],
    body,
  }
}

const send = (outgoing: ServerResponse, { status, headers, body }: FakeResponse): void => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  outgoing.writeHead(status, {
    'content-type': typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  })
  outgoing.end(text)
}
