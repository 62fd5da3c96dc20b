import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { sha256 } from '../digest.ts'
import { onLoopback } from '../loopback.ts'

/** What a fake heard, kept for tests to look at. Of a body only its size and digest are kept, or its text if small. */
export interface SeenRequest {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  sizeBytes: number
  sha256: string
  text: string
  /** Multipart fields in order, or nothing. */
  fields: [name: string, value: string][]
}

export interface HeardRequest extends SeenRequest {
  body: Buffer
}

export interface HttpAnswer {
  status: number
  headers?: Record<string, string>
  /** An object goes out as JSON, a string as it is. */
  body: object | string
}

/** Besides answers: a connection that breaks, and one that never answers. */
export type ScriptedAnswer = HttpAnswer | 'hang up' | 'silence'

export interface FakeProvider {
  /** What goes into the provider's base URL setting. */
  url: string
  requests: SeenRequest[]
  /** The next request (whose `METHOD /path` fits) gets this instead of what the service would say. */
  next(answer: ScriptedAnswer, on?: RegExp): void
  close(): Promise<void>
}

const KEPT_TEXT_BYTES = 64 * 1024

export const startFake = async (
  answer: (request: HeardRequest) => HttpAnswer | Promise<HttpAnswer>,
  basePath = '',
): Promise<FakeProvider> => {
  const requests: SeenRequest[] = []
  const script: { answer: ScriptedAnswer; on: RegExp }[] = []

  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const heard = await hear(incoming)
    const { body: _, ...seen } = heard
    requests.push(seen)
    const at = script.findIndex(({ on }) => on.test(`${heard.method} ${heard.path}`))
    const said = at >= 0 ? script.splice(at, 1)[0]?.answer : await answer(heard)
    if (said === 'hang up') incoming.socket.destroy()
    else if (said && said !== 'silence') reply(outgoing, said)
    // Kept by reference: the service fills in the fields it found.
    seen.fields = heard.fields
  }

  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch((error: unknown) => outgoing.destroy(error as Error))
  })
  const { url, close } = await onLoopback(server)
  // Nobody has to close one that lives as long as its process.
  server.unref()
  return {
    url: `${url}${basePath}`,
    requests,
    next: (scripted, on = /./) => {
      script.push({ answer: scripted, on })
    },
    close,
  }
}

const hear = async (incoming: IncomingMessage): Promise<HeardRequest> => {
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
    text: body.byteLength <= KEPT_TEXT_BYTES ? body.toString('utf8') : '',
    fields: [],
    body,
  }
}

const reply = (outgoing: ServerResponse, { status, headers, body }: HttpAnswer): void => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  outgoing.writeHead(status, {
    'content-type': typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  })
  outgoing.end(text)
}
