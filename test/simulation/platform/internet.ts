import type { Owner } from '../clock.ts'
import { type HttpRequest, type HttpResponse, requestOf, toResponse } from './http-message.ts'
import { unlessAborted } from './signals.ts'
import type { CallFault, Wire } from './wire.ts'

export interface InternetHooks {
  /** `lose: 'request'`: the connection fails. `lose: 'response'`: it breaks after the request has arrived. */
  onRequest?(request: HttpRequest, from: Owner | null): CallFault | undefined
}

/** Runs as nobody: what it waits for must not belong to the caller. */
export type Handler = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>

const REDIRECTS = [301, 302, 303, 307, 308]
const MAX_REDIRECTS = 20

/** A table of hosts. A host without a handler does not exist. */
export class Internet {
  readonly #hosts = new Map<string, Handler>()
  readonly #wire: Wire
  readonly #hooks: InternetHooks

  constructor(wire: Wire, hooks: InternetHooks = {}) {
    this.#wire = wire
    this.#hooks = hooks
  }

  /** `host`: with its port, if the URL has one. */
  serve(host: string, handler: Handler): void {
    this.#hosts.set(host, handler)
  }

  /** Fails as Node's fetch does: with the signal's reason, or with a TypeError. */
  request(request: HttpRequest): Promise<HttpResponse> {
    const { signal, url } = request
    if (signal?.aborted) return Promise.reject(signal.reason)
    const handler = this.#hosts.get(url.host)
    const fault = this.#hooks.onRequest?.(request, this.#wire.clock.owner)
    const failed = () => new TypeError('fetch failed')
    const answer = this.#wire.call('http', fault, failed, () => {
      if (!handler) throw failed()
      return handler(request)
    })
    return signal ? unlessAborted(answer, signal) : answer
  }

  /** The Worker's fetch. */
  readonly fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    let request = await requestOf(input, init)
    const redirect = init?.redirect ?? (input instanceof Request ? input.redirect : 'follow')
    for (let redirects = 0; ; redirects++) {
      const response = await this.request(request)
      const location = toHeaders(response).get('location')
      if (redirect !== 'follow' || !REDIRECTS.includes(response.status) || location === null)
        return toResponse(response)
      if (redirects === MAX_REDIRECTS) throw new TypeError('Too many redirects')
      request = { ...request, url: new URL(location, request.url) }
    }
  }
}

const toHeaders = ({ headers }: HttpResponse): Headers => (headers instanceof Headers ? headers : new Headers(headers))
