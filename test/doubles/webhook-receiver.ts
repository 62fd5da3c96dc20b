import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listenOnLoopback } from '../support/loopback.ts'

/** A webhook receiver. Each path behaves as its test sets it, and every request is recorded. */
export interface Receiver {
  /** Without a slash at the end. */
  url: string
  /** `127.0.0.1:<port>`, for ALLOW_PRIVATE_HOSTS. */
  host: string
  /** The requests to a path, in order of arrival. */
  at(path: string): Received[]
  /** Resolves with the first `count` requests to the path. */
  wait(path: string, count: number): Promise<Received[]>
  behave(path: string, behaviour: Behaviour): void
  close(): Promise<void>
}

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
  /** When its headers had arrived and ours were not sent yet. */
  at: number
}

/** `before` is the number of earlier requests to the path. */
export type Behaviour = (response: ServerResponse, before: number, received: Received) => void

export const respond =
  (status: number, body = '', headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    void response.writeHead(status, headers).end(body)

export const hang: Behaviour = () => {}
export const reset: Behaviour = (response) => void response.socket?.resetAndDestroy()

/** One behaviour per request; the last one repeats. */
export const inTurn =
  (...behaviours: Behaviour[]): Behaviour =>
  (response, before, received) =>
    behaviours[Math.min(before, behaviours.length - 1)]?.(response, before, received)

export const startReceiver = async (): Promise<Receiver> => {
  const received: Received[] = []
  const behaviours = new Map<string, Behaviour>()
  const waiting = new Set<() => void>()
  const at = (path: string) => received.filter((request) => request.path === path)

  const server = createServer(async (request, response) => {
    const path = request.url ?? '/'
    const arrived = Date.now()
    const recorded = { path, headers: request.headers, at: arrived, body: await text(request) }
    const before = at(path).length
    received.push(recorded)
    const behaviour = behaviours.get(path) ?? respond(200)
    behaviour(response, before, recorded)
    for (const resolve of waiting) resolve()
  })
  const { url, host, close } = await listenOnLoopback(server)

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
