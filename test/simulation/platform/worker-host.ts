import type { Clock, Owner } from '../clock.ts'
import { type HttpRequest, type HttpResponse, responseOf, toRequest } from './http-message.ts'
import { invoke } from './invocation.ts'
import type { WorkerModule } from './modules.ts'
import { receivedSignal } from './signals.ts'

export interface WorkerHooks {
  /** Called with each invocation by a request, which may be killed at any later event. */
  onInvocation?(request: HttpRequest, kill: () => void): void
  skewMs?(name: string): number
  onError?(where: string, cause: unknown): void
}

/** A response whose body is read while the Worker writes it. */
export interface StreamedResponse extends HttpResponse {
  stream: ReadableStream<Uint8Array>
}

const disconnected = () => new TypeError('fetch failed', { cause: new Error('the Worker was killed') })
/** What callers get when the Worker throws. */
const uncaught: HttpResponse = { status: 500, body: 'error code: 1101' }

/** One invocation of the Worker's fetch. Rejects when it is killed before it has answered. */
export const serveRequest = (
  clock: Clock,
  worker: WorkerModule['default'],
  env: object,
  request: HttpRequest,
  hooks: WorkerHooks,
): Promise<HttpResponse | StreamedResponse> => {
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse | StreamedResponse>()
  let isAnswered = false
  const answer = (response: HttpResponse | StreamedResponse): void => {
    isAnswered = true
    resolve(response)
  }
  const options = { skewMs: hooks.skewMs?.('request') ?? 0, onError: hooks.onError }
  const serve = async (ctx: object): Promise<void> => {
    const self = clock.owner as Owner
    const { signal, release } = receivedSignal(clock, self, request.signal)
    const response = await worker.fetch(toRequest({ ...request, signal }), env, ctx)
    if (!isStreamed(response)) {
      answer(await responseOf(response))
      release()
      return
    }
    const { stream, ended, cancel } = untilDeath(self, response.body)
    signal?.addEventListener('abort', () => cancel(signal.reason), { once: true })
    answer({ status: response.status, headers: response.headers, stream })
    await ended
  }
  const { owner } = invoke(clock, 'request', options, async (ctx) => {
    try {
      await serve(ctx)
    } catch (cause) {
      hooks.onError?.('request', cause)
      if (!isAnswered) answer(uncaught)
    }
  })
  owner.onDeath.add(() => {
    if (!isAnswered) reject(disconnected())
  })
  hooks.onInvocation?.(request, () => clock.kill(owner))
  return promise
}

const isStreamed = (response: Response): response is Response & { body: ReadableStream<Uint8Array> } =>
  (response.headers.get('content-type') ?? '').startsWith('text/event-stream') && response.body !== null

/** The body breaks when the Worker is killed. */
const untilDeath = (owner: Owner, body: ReadableStream<Uint8Array>) => {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const reader = body.getReader()
  const cancel = async (reason: unknown): Promise<void> => {
    end()
    await reader.cancel(reason)
  }
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      owner.onDeath.add(() => {
        try {
          controller.error(disconnected())
        } catch {
          // It has been read to its end.
        }
      })
    },
    pull: async (controller) => {
      const { value, done } = await reader.read()
      if (!done) return controller.enqueue(value)
      controller.close()
      end()
    },
    cancel,
  })
  return { stream, ended, cancel }
}
