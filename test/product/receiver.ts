import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { onLoopback } from '../loopback.ts'

/** A caller's server, as webhooks meet it: each path behaves as the test says, and everything is written down. */
export interface Receiver {
  /** Without a slash at the end. */
  url: string
  /** `127.0.0.1:<port>`, as ALLOW_PRIVATE_HOSTS wants it. */
  host: string
  /** What came to a path, in order of arrival. */
  at(path: string): Received[]
  /** Resolves with the first `count` that came to the path. */
  wait(path: string, count: number): Promise<Received[]>
  behave(path: string, behaviour: Behaviour): void
  close(): Promise<void>
}

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
  /** When its headers had come, and those of our own answer had not. */
  at: number
}

/** `before` counts what came to the path earlier. */
export type Behaviour = (response: ServerResponse, before: number, received: Received) => void

export const answer =
  (status: number, body = '', headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    void response.writeHead(status, headers).end(body)

export const hang: Behaviour = () => {}
export const reset: Behaviour = (response) => void response.socket?.resetAndDestroy()

/** The behaviours one after the other, the last one for good. */
export const inTurn =
  (...behaviours: Behaviour[]): Behaviour =>
  (response, before, received) =>
    behaviours[Math.min(before, behaviours.length - 1)]?.(response, before, received)

export const startReceiver = async (): Promise<Receiver> => {
  const received: Received[] = []
  const behaviours = new Map<string, Behaviour>()
  const waiting = new Set<() => void>()
  const at = (path: string) => received.filter((one) => one.path === path)

  const server = createServer(async (request, response) => {
    const path = request.url ?? '/'
    const arrived = Date.now()
    const one = { path, headers: request.headers, at: arrived, body: await text(request) }
    const before = at(path).length
    received.push(one)
    ;(behaviours.get(path) ?? answer(200))(response, before, one)
    for (const wake of waiting) wake()
  })
  const { url, host, close } = await onLoopback(server)

  return {
    url,
    host,
    at,
    behave: (path, behaviour) => void behaviours.set(path, behaviour),
    wait: async (path, count) => {
      while (at(path).length < count) {
        const { promise, resolve } = Promise.withResolvers<void>()
        waiting.add(resolve)
        await promise
        waiting.delete(resolve)
      }
      return at(path).slice(0, count)
    },
    close,
  }
}
