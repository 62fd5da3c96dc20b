import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, vi } from 'vitest'
import { Haul, type HaulOptions } from '../../../client/src/index.ts'
import { type Loopback, listenOnLoopback } from '../../support/loopback.ts'

export interface Received {
  /** The method and the path of a request, without the query. */
  route: string
  query: Record<string, string>
  headers: IncomingHttpHeaders
  body: Buffer
}

export type Answer = (response: ServerResponse, received: Received) => void

export const data =
  (value: unknown, status = 200): Answer =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(success(value))

const success = (value: unknown): string => JSON.stringify({ success: true, data: value })

export const refused =
  (status: number, code: string, facts: object = {}, headers: Record<string, string> = {}): Answer =>
  (response) => {
    const body = { success: false, error: `The service says ${code}.`, code, requestId: 'req_1', ...facts }
    response.writeHead(status, { 'x-request-id': 'req_1', ...headers }).end(JSON.stringify(body))
  }

/** The request was read, and no response is sent. */
export const drop: Answer = (response) => void response.socket?.resetAndDestroy()
export const hang: Answer = () => {}

/** Sends events, then ends the stream, breaks it, or leaves it open. */
export const stream =
  (events: object[], then: 'end' | 'drop' | 'hang' = 'end'): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    events.forEach((event, index) => {
      const id = 'id' in event ? event.id : index
      response.write(`event: job\nid: ${id}\ndata: ${JSON.stringify(event)}\n\n`)
    })
    if (then === 'end') response.end()
    // The events must have left this process before the connection breaks.
    if (then === 'drop') response.write(': last\n\n', () => response.socket?.end())
  }

/**
 * A service on loopback that responds as a test says, for what the real one cannot be made to do: lose connections, be
 * busy, forget parts. Each route gives its answers in turn, and the last one again and again.
 */
export const scriptedService = () => {
  const received: Received[] = []
  const script = new Map<string, Answer[]>()
  const waiting = new Set<() => void>()
  let loopback: Loopback

  const server = () =>
    createServer(async (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://service')
      const route = `${request.method} ${pathname}`
      const body = await buffer(request).catch(() => null)
      if (body === null) return
      const query = Object.fromEntries(searchParams)
      const entry = { route, query, headers: request.headers, body }
      received.push(entry)
      for (const check of waiting) check()
      const answers = script.get(route) ?? [refused(404, 'NOT_FOUND')]
      const answer = answers.length > 1 ? answers.shift() : answers[0]
      answer?.(response, entry)
    })

  beforeEach(async () => {
    received.length = 0
    script.clear()
    loopback = await listenOnLoopback(server())
    // There is no jitter, so a retry follows at once.
    vi.spyOn(Math, 'random').mockReturnValue(0)
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    await loopback.close()
  })

  const at = (route: string) => received.filter((each) => each.route === route)
  return {
    get url() {
      return loopback.url
    },
    /** Requests in the order of their arrival, all or those of a route. */
    received: (route?: string): Received[] => (route === undefined ? received : at(route)),
    on: (route: string, ...answers: Answer[]): void => void script.set(route, answers),
    /** Resolves when the route has had so many requests. */
    requested: (route: string, count = 1): Promise<void> =>
      new Promise((resolve) => {
        const check = () => {
          if (at(route).length < count) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      }),
    client: (options: HaulOptions = {}): Haul => new Haul({ apiKey: 'key', baseUrl: loopback.url, ...options }),
  }
}

export type ScriptedService = ReturnType<typeof scriptedService>

export const jobId = 'imp_1'
const job = { jobId, type: 'import', url: 'https://example.com/film', createdAt: '2026-11-22T12:00:00.000Z' }
export const queued = { ...job, status: 'queued', startedAt: null, completedAt: null }
export const running = (percent: number) => ({
  ...job,
  status: 'running',
  startedAt: '2026-11-22T12:00:01.000Z',
  completedAt: null,
  progress: {
    stage: 'downloading',
    percent,
    downloadedBytes: 10 * percent,
    totalBytes: 1_000,
    bytesPerSecond: 100,
    etaSeconds: 3,
  },
})
export const completed = { ...job, status: 'completed', result: { title: 'A film', mediaUrl: 'https://haul/media' } }
export const failed = { ...job, status: 'failed', code: 'NO_AUDIO', message: 'No sound.', retryable: false }
export const started = data({ jobId, status: 'queued', message: 'The import is queued.' }, 202)
