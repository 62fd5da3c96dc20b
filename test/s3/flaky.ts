import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import { onLoopback } from '../loopback.ts'
import type { WireRequest } from './sigv4.ts'

/** What goes wrong with one request. */
export type Misbehaviour =
  | {
      does: 'answers'
      status: number
      code?: string
      message?: string
      headers?: Record<string, string>
      body?: string
    }
  /** Closes the connection after so many bytes of the request's body. */
  | { does: 'cuts'; afterBytes: number }
  /** The server does as it was told, and its answer never arrives. */
  | { does: 'loses the answer' }
  | { does: 'hangs' }
  | { does: 'dawdles'; ms: number }
  /** A server of the old kind: it neither knows nor speaks of these headers. */
  | { does: 'forgets headers'; starting: string }

export interface SeenRequest extends WireRequest {
  /** How many requests of the same method and kind came before: 0 for the first. */
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

export type Script = (request: SeenRequest) => Misbehaviour | null

export interface FlakyS3 {
  endpoint: string
  seen: SeenRequest[]
  count(kind: RequestKind): number
  /** Nobody comes through any more, and what did has arrived. */
  close(): Promise<void>
}

/** Stands before a real S3 server and does to its traffic what the script says. Signatures stay valid: the Host is kept. */
export const startFlakyS3 = async (target: string, script: Script): Promise<FlakyS3> => {
  const seen: SeenRequest[] = []
  const count = (kind: RequestKind): number => seen.filter((request) => request.kind === kind).length

  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    let misbehaviour: Misbehaviour | null = null
    const request = describe(incoming, count)
    misbehaviour = script(request)
    seen.push(request)
    let sizeBytes = 0
    for await (const chunk of incoming) {
      chunks.push(chunk)
      sizeBytes += chunk.length
      if (misbehaviour?.does === 'cuts' && sizeBytes >= misbehaviour.afterBytes) return void incoming.socket.destroy()
    }
    request.body = Buffer.concat(chunks)
    if (misbehaviour?.does === 'hangs') return
    if (misbehaviour?.does === 'answers') return answer(outgoing, misbehaviour)
    if (misbehaviour?.does === 'dawdles') await new Promise((resolve) => setTimeout(resolve, misbehaviour.ms))
    await forward(target, incoming, request, outgoing, misbehaviour)
  }

  const underway = new Set<Promise<void>>()
  const server = createServer((incoming, outgoing) => {
    const handled = handle(incoming, outgoing)
      .catch(() => void incoming.socket.destroy())
      .finally(() => underway.delete(handled))
    underway.add(handled)
  })
  const { url, close } = await onLoopback(server)

  return {
    endpoint: url,
    seen,
    count,
    close: async () => {
      await close()
      await Promise.all(underway)
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

const answer = (
  outgoing: ServerResponse,
  { status, code, message, headers, body }: Misbehaviour & { does: 'answers' },
) => {
  const xml = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message ?? ''}</Message></Error>`
  outgoing.writeHead(status, { 'content-type': 'application/xml', ...headers })
  outgoing.end(body ?? (code ? xml : ''))
}

const forward = async (
  target: string,
  incoming: IncomingMessage,
  { method, target: path, body }: SeenRequest,
  outgoing: ServerResponse,
  misbehaviour: Misbehaviour | null,
): Promise<void> => {
  const onward = send(target, { method, path, headers: incoming.headers, agent: false })
  // Also after its answer: a server may close a connection that is still being written to.
  onward.on('error', () => incoming.socket.destroy())
  onward.end(body)
  const [reply] = (await once(onward, 'response')) as [IncomingMessage]
  if (misbehaviour?.does === 'loses the answer') {
    reply.resume()
    await once(reply, 'end')
    return void incoming.socket.destroy()
  }
  const forgotten = misbehaviour?.does === 'forgets headers' ? misbehaviour.starting : null
  const headers = Object.entries(reply.headers).filter(([name]) => !forgotten || !name.startsWith(forgotten))
  outgoing.writeHead(reply.statusCode ?? 502, Object.fromEntries(headers) as Record<string, string>)
  reply.pipe(outgoing)
}
