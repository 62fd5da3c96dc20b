import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { listenOnLoopback } from '../../support/loopback.ts'
import type { WireRequest } from './sigv4.ts'

/** What goes wrong with one request. */
export type Fault =
  | {
      does: 'responds'
      status: number
      code?: string
      message?: string
      headers?: Record<string, string>
      body?: string
    }
  /** Closes the connection after this many bytes of the request body. */
  | { does: 'cuts the connection'; afterBytes: number }
  /** The server processes the request, and its response is lost. */
  | { does: 'loses the response' }
  | { does: 'hangs' }
  | { does: 'delays'; ms: number }
  /** An older server that does not know these headers. */
  | { does: 'drops headers'; starting: string }

export interface SeenRequest extends WireRequest {
  /** The number of earlier requests of the same kind. */
  nth: number
  kind: RequestKind
}

export type RequestKind =
  | 'put'
  | 'get'
  | 'head'
  | 'delete'
  | 'create'
  | 'part'
  | 'complete'
  | 'abort'
  | 'parts'
  | 'uploads'

export type Script = (request: SeenRequest) => Fault | null

export interface FlakyS3 {
  endpoint: string
  seen: SeenRequest[]
  count(kind: RequestKind): number
  /** Closes the proxy and waits for requests that it has already forwarded. */
  close(): Promise<void>
}

/** A proxy before a real S3 server that injects the faults of the script. It keeps the Host, so signatures stay valid. */
export const startFlakyS3 = async (target: string, script: Script): Promise<FlakyS3> => {
  const seen: SeenRequest[] = []
  const count = (kind: RequestKind): number => seen.filter((request) => request.kind === kind).length

  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    const request = describe(incoming, count)
    const fault = script(request)
    seen.push(request)
    let sizeBytes = 0
    for await (const chunk of incoming) {
      chunks.push(chunk)
      sizeBytes += chunk.length
      if (fault?.does === 'cuts the connection' && sizeBytes >= fault.afterBytes) return void incoming.socket.destroy()
    }
    request.body = Buffer.concat(chunks)
    if (fault?.does === 'hangs') return
    if (fault?.does === 'responds') return respond(outgoing, fault)
    if (fault?.does === 'delays') await sleep(fault.ms)
    await forward(target, incoming, request, outgoing, fault)
  }

  const running = new Set<Promise<void>>()
  const server = createServer((incoming, outgoing) => {
    const handled = handle(incoming, outgoing)
      .catch(() => void incoming.socket.destroy())
      .finally(() => running.delete(handled))
    running.add(handled)
  })
  const { url, close } = await listenOnLoopback(server)

  return {
    endpoint: url,
    seen,
    count,
    close: async () => {
      await close()
      await Promise.all(running)
    },
  }
}

const describe = (incoming: IncomingMessage, count: (kind: RequestKind) => number): SeenRequest => {
  const { method = '', url: target = '' } = incoming
  const kind = kindOf(method, new URL(target, 'http://s3').searchParams)
  const headers = incoming.headers as Record<string, string>
  return { method, target, headers, body: new Uint8Array(), kind, nth: count(kind) }
}

const kindOf = (method: string, query: URLSearchParams): RequestKind => {
  const inUpload = query.has('uploadId')
  if (method === 'POST') return query.has('uploads') ? 'create' : 'complete'
  if (method === 'PUT') return inUpload ? 'part' : 'put'
  if (method === 'DELETE') return inUpload ? 'abort' : 'delete'
  if (method === 'HEAD') return 'head'
  if (query.has('uploads')) return 'uploads'
  return inUpload ? 'parts' : 'get'
}

const respond = (outgoing: ServerResponse, { status, code, message, headers, body }: Fault & { does: 'responds' }) => {
  const xml = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message ?? ''}</Message></Error>`
  outgoing.writeHead(status, { 'content-type': 'application/xml', ...headers })
  outgoing.end(body ?? (code ? xml : ''))
}

const forward = async (
  target: string,
  incoming: IncomingMessage,
  { method, target: path, body }: SeenRequest,
  outgoing: ServerResponse,
  fault: Fault | null,
): Promise<void> => {
  const forwarded = send(target, { method, path, headers: incoming.headers, agent: false })
  // Also after the response: a server may close a connection that we are still writing to.
  forwarded.on('error', () => incoming.socket.destroy())
  forwarded.end(body)
  const [response] = (await once(forwarded, 'response')) as [IncomingMessage]
  if (fault?.does === 'loses the response') {
    response.resume()
    await once(response, 'end')
    return void incoming.socket.destroy()
  }
  const dropped = fault?.does === 'drops headers' ? fault.starting : null
  const headers = Object.entries(response.headers).filter(([name]) => !dropped || !name.startsWith(dropped))
  outgoing.writeHead(response.statusCode ?? 502, Object.fromEntries(headers) as Record<string, string>)
  response.pipe(outgoing)
}
