import type { IncomingMessage, ServerResponse } from 'node:http'
import type {
  EngineState,
  InspectRequest,
  InspectResponse,
  ListResponse,
  ProbedSource,
  ProbeResponse,
  ResolveResponse,
  StepOrder,
  StopRequest,
} from '../../../domain/protocol/protocol.ts'
import type { FakeEngine } from '../../worker/support/fake-engine.ts'
import { film } from '../../worker/support/film.ts'
import type { createFeeds } from './feeds.ts'

/**
 * The containers: one for each port of 127.0.0.1, with the responses of domain/protocol. A test posts other properties
 * to `https://engines.example/<port>`, whose response shows all of them.
 */
export const createEngines = (feeds: ReturnType<typeof createFeeds>) => {
  const engines = new Map<string, FakeEngine>()

  const engineAt = (port: string): FakeEngine => {
    const engine = engines.get(port) ?? newEngine()
    engines.set(port, engine)
    return engine
  }

  return {
    serve: (exchange: Exchange) => serve(engineAt(exchange.url.port), exchange, feeds),
    control: async ({ url, request, response }: Exchange): Promise<void> => {
      const engine = engineAt(url.pathname.slice(1))
      send(response, 200, Object.assign(engine, await readJson(request)))
    },
  }
}

/** Until yt-dlp has reported its version. */
const starting = { version: null, channel: 'pinned', problem: null }

const newEngine = (): FakeEngine => ({
  status: 'ok',
  places: { network: 1_000, cpu: 1_000 },
  diskBytes: 1e12,
  running: [],
  isDead: false,
  orderStatus: null,
  keepsSteps: false,
  orders: [],
  stopped: [],
  uptimeMs: Number.MAX_SAFE_INTEGER,
  extractor: starting,
  sites: null,
})

interface Exchange {
  url: URL
  request: IncomingMessage
  response: ServerResponse
}

const readJson = async (request: IncomingMessage) =>
  JSON.parse(Buffer.concat(await request.toArray()).toString() || '{}')

const send = (response: ServerResponse, status: number, body: unknown): void => {
  const text = JSON.stringify(body)
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
  response.writeHead(status, headers).end(text)
}

/** What each preview reads. */
const READ_BYTES = 40_000

/** Hosts that the container's guard refuses: one has no address, one a private address. */
const forbidden = ['nowhere.example', 'inside.example']

const serve = async (
  engine: FakeEngine,
  { url, request, response }: Exchange,
  feeds: ReturnType<typeof createFeeds>,
): Promise<void> => {
  if (engine.isDead) return void request.socket.destroy()
  if (request.headers.authorization !== 'Bearer engine-token') return void response.writeHead(401).end()
  const body = await readJson(request)
  if (body.url?.endsWith('/busy')) return send(response, 503, { error: 'no place is free' })
  if (body.url?.endsWith('/breaks')) return send(response, 500, { error: 'internal error' })
  switch (url.pathname) {
    case '/state': {
      const { status, uptimeMs, places, diskBytes, running, extractor } = engine
      return send(response, 200, { status, uptimeMs, places, diskBytes, running, extractor } satisfies EngineState)
    }
    case '/sites':
      return engine.sites ? send(response, 200, engine.sites) : send(response, 503, {})
    case '/steps':
      return send(response, start(engine, body), {})
    case '/stop':
      return send(response, 202, { wasRunning: stop(engine, body) })
    case '/resolve':
      return send(response, 200, {
        allowed: !forbidden.includes(body.host),
        hasSourceProxy: body.host.endsWith('.proxied.example'),
      } satisfies ResolveResponse)
    case '/inspect':
      return body.sizeBytes === 19
        ? send(response, 503, { error: 'no place is free' })
        : send(response, 200, inspected(body))
    case '/probe':
      return send(response, 200, { ...probed(body.url, body.listLimit), readBytes: READ_BYTES })
    case '/list':
      return send(response, 200, listed(body.url, body.limit))
    case '/follow':
      return send(response, 200, failureOf(body.url) ?? feeds.follow(body.feedUrl ?? body.url))
    default:
      return send(response, 404, {})
  }
}

const start = (engine: FakeEngine, order: StepOrder): number => {
  engine.orders.push(order)
  if (engine.orderStatus !== null) return engine.orderStatus
  const { jobId, step, attempt, accountId, placeId, diskBytes = 0 } = order
  if (engine.keepsSteps) engine.running.push({ jobId, step, attempt, accountId, placeId, diskBytes })
  return 202
}

const stop = (engine: FakeEngine, order: StopRequest): boolean => {
  engine.stopped.push(order)
  const running = engine.running.filter(({ jobId }) => jobId !== order.jobId)
  const wasRunning = running.length < engine.running.length
  engine.running = running
  return wasRunning
}

/** The size says what the file is: 13 bytes are not media, of 17 none can be read, and for 19 there is no place. */
const inspected = ({ sizeBytes }: InspectRequest): InspectResponse => {
  const code = sizeBytes === 13 ? 'SOURCE_UNSUPPORTED' : sizeBytes === 17 ? 'SOURCE_UNREACHABLE' : null
  if (code) return { status: 'failed', code, message: code }
  return { status: 'done', readBytes: 0, contentType: 'audio/mpeg', extension: 'mp3', durationSeconds: 61.5 }
}

/** The path `/fails/SOURCE_PRIVATE` fails with that code; `/breaks` is a 500 of the container, `/busy` a 503. */
const failureOf = (url: string): Extract<ProbeResponse, { status: 'failed' }> | null => {
  const code = /\/fails\/(\w+)$/.exec(url)?.[1]
  return code ? { status: 'failed', code, message: `it fails with ${code}` } : null
}

/** The path `/playlists/3` is a playlist of three items; everything else is a list of one. */
const listed = (url: string, limit: number): ListResponse => {
  const count = Number(/\/playlists\/(\d+)$/.exec(url)?.[1] ?? Number.NaN)
  const one = { url, title: film.title, durationSeconds: film.durationSeconds }
  const many = Array.from({ length: Math.min(limit, count || 0) }, (_, index) => ({
    url: `https://media.example/films/${index}.mp4`,
    title: `Film ${index}`,
    durationSeconds: 60,
  }))
  const list = Number.isNaN(count)
    ? { title: film.title, count: 1, items: [one] }
    : { title: 'A playlist', count, items: many }
  return failureOf(url) ?? { status: 'done', ...list }
}

const probed = (url: string, listLimit?: number): ProbeResponse => {
  const failure = failureOf(url)
  if (failure) return failure
  if (listLimit !== undefined && url.includes('/playlists/')) {
    const list = listed(url, listLimit)
    if (list.status === 'done') return { ...list, status: 'list' }
  }
  // The query `speech` is what the container says of the sound.
  const speech = new URL(url).searchParams.get('speech')
  const source = speech ? { ...film, speech: JSON.parse(speech) } : film
  return { status: 'done', source: url.includes('/unknown') ? { ...source, ...unknown } : source }
}

/** A source without a duration, type or size. */
const unknown: Partial<ProbedSource> = {
  durationSeconds: null,
  thumbnailUrl: null,
  contentType: null,
  fileSizeBytes: null,
  captions: [],
  downloads: film.downloads.map(({ selection }) => ({ selection, bytes: null, isEstimate: false })),
  speech: { durationSeconds: null, durationIsEstimate: false, downloadBytes: null, downloadIsEstimate: false },
}
