import { LightBody, WITHOUT_BODY } from './light-http.ts'

/** Requests and responses between programs: their bodies are read whole, and copied. */

/** A body that is told by its size only. Media files are of this kind, so that a history needs little memory. */
export class VirtualBody {
  readonly sizeBytes: number
  /** Bodies with different names have different ETags. */
  readonly name: string

  constructor(sizeBytes: number, name: string) {
    this.sizeBytes = sizeBytes
    this.name = name
  }
}

export type Body = string | Uint8Array | VirtualBody | null

export interface HttpRequest {
  method: string
  url: URL
  headers: Headers
  body: Body
  signal: AbortSignal | null
}

export interface HttpResponse {
  status: number
  headers?: Headers | Record<string, string>
  body?: Body
  /** The response opens it. */
  webSocket?: WebSocket | null
}

export const jsonResponse = (status: number, body: object, headers: Record<string, string> = {}): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

export const sizeOf = (body: Body): number => {
  if (body === null) return 0
  if (typeof body === 'string') return Buffer.byteLength(body)
  return body instanceof VirtualBody ? body.sizeBytes : body.byteLength
}

export const bytesOf = (body: Body): Uint8Array<ArrayBuffer> => {
  if (body === null) return new Uint8Array()
  if (typeof body === 'string') return new Uint8Array(Buffer.from(body))
  if (body instanceof VirtualBody) return new Uint8Array(body.sizeBytes)
  return body.slice()
}

export const textOf = (body: Body): string =>
  typeof body === 'string' ? body : body === null ? '' : Buffer.from(bytesOf(body)).toString('utf8')

/** What fetch() is called with. The result is a promise only if the body must be read from a stream. */
export const requestOf = (input: RequestInfo | URL, init: RequestInit = {}): HttpRequest | Promise<HttpRequest> => {
  const given = input instanceof Request ? input : null
  const url = new URL(given ? given.url : `${input}`)
  const headers = new Headers(init.headers ?? given?.headers)
  const method = (init.method ?? given?.method ?? 'GET').toUpperCase()
  const request = { method, url, headers, signal: init.signal ?? given?.signal ?? null }
  const body = init.body ?? (given instanceof LightBody ? given.content : given?.body) ?? null
  if (body === null || typeof body === 'string') return { ...request, body }
  if (body instanceof Uint8Array) return { ...request, body: body.slice() }
  return new Response(body).bytes().then((bytes) => ({ ...request, body: bytes }))
}

export const toRequest = ({ method, url, headers, body, signal }: HttpRequest): Request => {
  const hasBody = method !== 'GET' && method !== 'HEAD' && body !== null
  return new Request(url, { method, headers, ...(hasBody && { body: bytesOrText(body) }), ...(signal && { signal }) })
}

export const toResponse = ({ status, headers = {}, body = null, webSocket = null }: HttpResponse): Response => {
  if (webSocket) return new Response(null, { status, headers, webSocket } as ResponseInit)
  const content = body === null || WITHOUT_BODY.includes(status) ? null : bytesOrText(body)
  return new Response(content, { status, headers })
}

const CHUNK_BYTES = 65_536

/** The virtual bodies by the streams that stand for them: nobody needs to read a whole film to pass it on. */
const virtualBodies = new WeakMap<ReadableStream, VirtualBody>()

const bytesOrText = (body: string | Uint8Array | VirtualBody): string | Uint8Array<ArrayBuffer> | ReadableStream => {
  if (typeof body === 'string') return body
  return body instanceof VirtualBody ? streamOf(body) : (body as Uint8Array<ArrayBuffer>)
}

/** A stream of bytes, as workerd has it. */
export const streamOf = (body: Body): ReadableStream<Uint8Array> => {
  let leftBytes = sizeOf(body)
  const bytes = body instanceof VirtualBody ? null : bytesOf(body)
  const stream: ReadableStream<Uint8Array> = new ReadableStream({
    type: 'bytes',
    pull: (controller) => {
      if (leftBytes > 0) {
        const start = bytes ? bytes.byteLength - leftBytes : 0
        const chunkBytes = Math.min(CHUNK_BYTES, leftBytes)
        leftBytes -= chunkBytes
        controller.enqueue(bytes ? bytes.slice(start, start + chunkBytes) : new Uint8Array(chunkBytes))
        return
      }
      controller.close()
      // A reader with its own buffer waits for this.
      controller.byobRequest?.respond(0)
    },
  })
  if (body instanceof VirtualBody) virtualBodies.set(stream, body)
  return stream
}

/** Reads the response of a handler. */
export const responseOf = async (response: Response): Promise<HttpResponse> => ({
  status: response.status,
  headers: response.headers,
  body: await bodyOf(response),
  webSocket: (response as { webSocket?: WebSocket | null }).webSocket ?? null,
})

const bodyOf = (response: Response): Body | Promise<Body> => {
  if (response instanceof LightBody) return response.content
  const { body } = response
  if (body === null) return null
  return (!body.locked && virtualBodies.get(body)) || response.bytes()
}
