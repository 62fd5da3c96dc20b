/**
 * Request and Response without streams. Node makes a stream and an AbortController for each of them, even if its body is a
 * line of JSON. That took a tenth of the time of a history. Bodies that are streams or forms still use Node's classes.
 */

const RealRequest = Request
const RealResponse = Response

type Content = string | Uint8Array<ArrayBuffer> | null

/** The light bodies whose stream was asked for, by that stream. */
const bodies = new WeakMap<ReadableStream, LightBody>()

/** What was given as a body, if it can be held without a stream. undefined: it cannot. */
const contentOf = (body: unknown): Content | undefined => {
  if (body === null || body === undefined) return null
  if (typeof body === 'string') return body
  if (body instanceof ArrayBuffer) return new Uint8Array(body.slice(0))
  if (body instanceof Uint8Array) return new Uint8Array(body)
  const light = body instanceof ReadableStream ? bodies.get(body) : undefined
  return light && !light.bodyUsed ? light.content : undefined
}

export abstract class LightBody {
  readonly headers: Headers
  readonly content: Content
  #isRead = false
  #stream: ReadableStream<Uint8Array> | null = null

  constructor(content: Content, headers: HeadersInit | undefined) {
    this.content = content
    this.headers = new Headers(headers)
    if (typeof content === 'string' && !this.headers.has('content-type'))
      this.headers.set('content-type', 'text/plain;charset=UTF-8')
  }

  get body(): ReadableStream<Uint8Array> | null {
    if (this.content === null) return null
    if (!this.#stream) {
      this.#stream = new RealResponse(this.content).body as ReadableStream<Uint8Array>
      bodies.set(this.#stream, this)
    }
    return this.#stream
  }

  get bodyUsed(): boolean {
    return this.#isRead || (this.#stream?.locked ?? false)
  }

  async text(): Promise<string> {
    const content = this.#take()
    return typeof content === 'string' ? content.replace(/^\uFEFF/, '') : new TextDecoder().decode(content ?? undefined)
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    const content = this.#take()
    return typeof content === 'string' ? new TextEncoder().encode(content) : (content?.slice() ?? new Uint8Array())
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return (await this.bytes()).buffer
  }

  async blob(): Promise<Blob> {
    return new Blob([await this.bytes()], { type: this.headers.get('content-type') ?? '' })
  }

  async formData(): Promise<FormData> {
    return new RealResponse(this.#take(), { headers: this.headers }).formData()
  }

  #take(): Content {
    if (this.bodyUsed) throw new TypeError('Body is unusable: Body has already been read')
    this.#isRead = this.content !== null
    return this.content
  }
}

/** Statuses whose responses have no body. */
export const WITHOUT_BODY = [101, 204, 205, 304]

type LightInit = ResponseInit & { webSocket?: WebSocket | null }

export class LightResponse extends LightBody {
  readonly status: number
  readonly statusText: string
  readonly webSocket: WebSocket | null
  readonly url = ''
  readonly redirected = false
  readonly type = 'default'

  constructor(body?: BodyInit | null, { status = 200, statusText = '', headers, webSocket = null }: LightInit = {}) {
    const content = contentOf(body)
    super(content ?? null, headers)
    this.status = status
    this.statusText = statusText
    this.webSocket = webSocket
    if (webSocket) return
    const isRefused = status < 200 || status > 599 || (content !== null && WITHOUT_BODY.includes(status))
    if (content !== undefined && !isRefused) return
    // Node's own says what is wrong with a status.
    // biome-ignore lint/correctness/noConstructorReturn: `new Response` must give whichever class can hold the body.
    return new RealResponse(body, { status, statusText, ...(headers && { headers }) }) as never
  }

  get ok(): boolean {
    return this.status >= 200 && this.status <= 299
  }

  clone(): LightResponse {
    const { status, statusText, headers } = this
    return new LightResponse(this.content, { status, statusText, headers })
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isInstance(LightResponse, value) || isInstance(RealResponse, value)
  }

  static json(value: unknown, init: ResponseInit = {}): Response {
    return RealResponse.json(value, init)
  }

  static redirect(url: string | URL, status?: number): Response {
    return RealResponse.redirect(url, status)
  }

  static error(): Response {
    return RealResponse.error()
  }
}

export class LightRequest extends LightBody {
  readonly method: string
  readonly url: string
  readonly redirect: RequestRedirect
  #signal: AbortSignal | null

  constructor(input: RequestInfo | URL, init: RequestInit = {}) {
    const from = input instanceof LightRequest ? (input as LightRequest | Request) : null
    const body = init.body ?? (from instanceof RealRequest ? from.body : (from as LightRequest | null)?.content)
    const content = contentOf(body)
    super(content ?? null, init.headers ?? from?.headers)
    this.method = methodOf(init.method ?? from?.method ?? 'GET')
    this.url = from ? from.url : new URL(`${input}`).href
    this.redirect = init.redirect ?? from?.redirect ?? 'follow'
    this.#signal = init.signal ?? from?.signal ?? null
    if (content === null) return
    if (['GET', 'HEAD'].includes(this.method)) throw new TypeError('Request with GET/HEAD method cannot have body.')
    const { method, redirect, headers } = this
    const heavy = { method, redirect, headers, signal: this.#signal, body, duplex: 'half' } as RequestInit
    // biome-ignore lint/correctness/noConstructorReturn: see LightResponse.
    if (content === undefined) return new RealRequest(this.url, heavy) as never
  }

  get signal(): AbortSignal {
    this.#signal ??= new AbortController().signal
    return this.#signal
  }

  clone(): LightRequest {
    return new LightRequest(this as never)
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isInstance(LightRequest, value) || isInstance(RealRequest, value)
  }
}

const NORMALIZED = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT']
const methodOf = (method: string): string => {
  const upper = method.toUpperCase()
  return NORMALIZED.includes(upper) ? upper : method
}

const isInstance = (type: { prototype: object }, value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.prototype.isPrototypeOf.call(type.prototype, value)
