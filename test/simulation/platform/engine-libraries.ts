import type { Clock } from '../clock.ts'
import { sleep } from '../sleep.ts'
import { type Body, bytesOf, type HttpResponse, textOf, VirtualBody } from './http-message.ts'
import type { Internet } from './internet.ts'

/** What stands in for undici, timers and files in the modules of the container: see modules.ts. */
export interface EngineLibraries {
  request(url: string, options?: RequestOptions): Promise<UndiciResponse>
  sleep(ms: number, value?: unknown, options?: { signal?: AbortSignal }): Promise<unknown>
  createReadStream(path: string, range: { start: number; end: number }): Body
  mkdtemp(prefix: string): Promise<string>
}

interface RequestOptions {
  method?: string
  headers?: Record<string, string>
  body?: Body
  signal?: AbortSignal
}

interface UndiciResponse {
  statusCode: number
  headers: Record<string, string>
  body: {
    text(): Promise<string>
    json(): Promise<unknown>
    bytes(): Promise<Uint8Array>
    dump(): Promise<void>
  }
}

/** Of the agent in container/worker-client.ts, which the double does not read. */
const HEADERS_TIMEOUT_MS = 60_000

export const createEngineLibraries = (clock: Clock, internet: Internet): EngineLibraries => {
  let folders = 0
  return {
    request: async (url, { method = 'GET', headers = {}, body = null, signal } = {}) => {
      signal?.throwIfAborted()
      const late = new AbortController()
      const timer = clock.schedule(HEADERS_TIMEOUT_MS, clock.owner, 'headers timeout', () =>
        late.abort(new Error('Headers Timeout Error')),
      )
      try {
        const either = signal ? AbortSignal.any([signal, late.signal]) : late.signal
        const sent = { method, url: new URL(url), headers: new Headers(headers), body, signal: either }
        return toUndici(await internet.request(sent))
      } finally {
        clock.cancel(timer)
      }
    },
    sleep: (ms, value, { signal } = {}) => sleep(ms, signal).then(() => value),
    createReadStream: (path, { start, end }) => new VirtualBody(end - start + 1, `${path} from ${start}`),
    mkdtemp: async (prefix) => `${prefix}${++folders}`,
  }
}

const toUndici = ({ status, headers = {}, body = null }: HttpResponse): UndiciResponse => ({
  statusCode: status,
  headers: headers instanceof Headers ? Object.fromEntries(headers) : headers,
  body: {
    text: async () => textOf(body),
    json: async () => JSON.parse(textOf(body)),
    bytes: async () => bytesOf(body),
    dump: async () => {},
  },
})
