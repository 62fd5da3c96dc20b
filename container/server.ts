import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { z } from 'zod'
import {
  type EngineState,
  FollowRequest,
  type FollowResponse,
  type Health,
  InspectRequest,
  type InspectResponse,
  isForLaterImage,
  ListRequest,
  type ListResponse,
  ProbeRequest,
  type ProbeResponse,
  ResolveRequest,
  type Sites,
  StepOrder,
  StopRequest,
} from '../domain/protocol/protocol.ts'
import { errorFields, type Log } from './log.ts'
import { readAtMost } from './sandbox/lines.ts'
import type { StepPool } from './steps/run.ts'

export interface Services {
  pool: Pick<StepPool, 'accept' | 'cancel'>
  mayWork(): boolean
  /** null: the container is full. `disconnected` aborts when nobody waits for the response any more. */
  probe(request: ProbeRequest, disconnected: AbortSignal): Promise<ProbeResponse | null>
  inspect(request: InspectRequest, disconnected: AbortSignal): Promise<InspectResponse | null>
  list(request: ListRequest, disconnected: AbortSignal): Promise<ListResponse | null>
  follow(request: FollowRequest, disconnected: AbortSignal): Promise<FollowResponse | null>
  mayReach(host: string, port: number): Promise<boolean>
  hasSourceProxy(host: string): boolean
  health(): Promise<Health>
  sites(signal: AbortSignal): Promise<Sites>
  /** Answers at once, because an engine that does not answer counts as gone. */
  state(): EngineState
}

interface Reply {
  status: number
  body?: object
}

const MAX_ORDER_BYTES = 1024 * 1024

export const createContainerServer = (services: Services, token: string, log: Log): Server => {
  const isAuthorized = bearer(token)
  const server = createServer((request, response) => {
    handle(request, services, isAuthorized, disconnectionOf(response))
      .catch((error): Reply => {
        if (error instanceof RequestRefused) return { status: error.status, body: { error: error.message } }
        log('request failed', { path: request.url, ...errorFields(error) })
        return { status: 500, body: { error: 'internal error' } }
      })
      .then((reply) => send(request, response, reply))
  })
  // These limit how long a request may take to arrive. A response may take as long as a probe does.
  server.headersTimeout = 10_000
  server.requestTimeout = 30_000
  // The Worker reuses connections for longer than Node's default of five seconds, and would write to a closed one.
  server.keepAliveTimeout = 75_000
  return server
}

/** Aborts when the connection closes before the response is complete. */
const disconnectionOf = (response: ServerResponse): AbortSignal => {
  const disconnected = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) disconnected.abort(new Error('the client has disconnected'))
  })
  return disconnected.signal
}

class RequestRefused extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const handle = async (
  request: IncomingMessage,
  services: Services,
  isAuthorized: (header: string | undefined) => boolean,
  disconnected: AbortSignal,
): Promise<Reply> => {
  const path = request.url?.split('?')[0]
  if (request.method === 'GET' && path === '/health') return { status: 200, body: await services.health() }
  if (!isAuthorized(request.headers.authorization)) throw new RequestRefused(401, 'unauthorized')
  if (request.method === 'GET' && path === '/state') return { status: 200, body: services.state() }
  if (request.method === 'GET' && path === '/sites') return { status: 200, body: await services.sites(disconnected) }
  if (request.method !== 'POST') throw new RequestRefused(404, 'not found')
  if (path !== undefined && working.has(path) && !services.mayWork()) throw new RequestRefused(503, 'see /health')
  switch (path) {
    case '/steps':
      return acceptOrder(services, await readJson(request))
    case '/stop':
      return { status: 202, body: { wasRunning: services.pool.cancel(parsed(await readJson(request), StopRequest)) } }
    case '/probe':
      return lookedUp(await services.probe(parsed(await readJson(request), ProbeRequest), disconnected))
    case '/inspect':
      return lookedUp(await services.inspect(parsed(await readJson(request), InspectRequest), disconnected))
    case '/list':
      return lookedUp(await services.list(parsed(await readJson(request), ListRequest), disconnected))
    case '/follow':
      return lookedUp(await services.follow(parsed(await readJson(request), FollowRequest), disconnected))
    case '/resolve': {
      const { host, port } = parsed(await readJson(request), ResolveRequest)
      const allowed = await services.mayReach(host, port)
      return { status: 200, body: { allowed, hasSourceProxy: services.hasSourceProxy(host) } }
    }
    default:
      throw new RequestRefused(404, 'not found')
  }
}

const working: ReadonlySet<string> = new Set(['/steps', '/probe', '/list', '/follow', '/inspect'])

const lookedUp = (response: ProbeResponse | ListResponse | FollowResponse | InspectResponse | null): Reply =>
  response ? { status: 200, body: response } : { status: 503, body: { error: 'no place is free' } }

const acceptOrder = ({ pool }: Services, order: unknown): Reply => {
  if (isForLaterImage(order)) throw new RequestRefused(422, 'UNKNOWN_STEP')
  return { status: statusOf[pool.accept(parsed(order, StepOrder))] }
}

const statusOf: Record<ReturnType<StepPool['accept']>, number> = { accepted: 202, full: 429, stopping: 503 }

const readJson = async (request: IncomingMessage): Promise<unknown> => {
  const body = await readAtMost(request, MAX_ORDER_BYTES)
  if (!body) throw new RequestRefused(413, 'the body is too large')
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw new RequestRefused(400, 'the body is not JSON')
  }
}

const parsed = <Schema extends z.ZodType>(json: unknown, schema: Schema): z.infer<Schema> => {
  const read = schema.safeParse(json)
  if (read.success) return read.data
  const fields = read.error.issues.map(({ path }) => path.join('.')).join(', ')
  throw new RequestRefused(400, `invalid fields: ${fields}`)
}

/** Compares digests, because timingSafeEqual needs equal lengths and the token's length must not leak. */
const bearer = (token: string): ((header: string | undefined) => boolean) => {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  const expected = digest(`Bearer ${token}`)
  return (header) => timingSafeEqual(digest(header ?? ''), expected)
}

/** Never without a body: the Worker's runtime would close the connection, and send the next request on it. */
const send = (request: IncomingMessage, response: ServerResponse, { status, body = {} }: Reply): void => {
  const text = JSON.stringify(body)
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
  // The rest of an unread body would be parsed as the connection's next request.
  response.writeHead(status, request.complete ? headers : { ...headers, connection: 'close' }).end(text)
  request.resume()
}
