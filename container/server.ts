import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { z } from 'zod'
import { described, type Log } from './log.ts'
import { type Health, ProbeOrder, ResolveOrder, StepOrder } from './protocol.ts'
import type { Desk } from './steps/desk.ts'

/** What the Worker may ask of this container. */
export interface Services {
  desk: Pick<Desk, 'take'>
  probe(order: ProbeOrder): Promise<unknown>
  mayReach(host: string, port: number): Promise<boolean>
  health(): Promise<Health>
}

interface Answer {
  status: number
  body?: unknown
}

/** Orders are small; whatever is larger is not one. */
const MAX_BODY_BYTES = 1024 * 1024

export const createEngineServer = (services: Services, token: string, log: Log): Server => {
  const isAllowed = bearer(token)
  const server = createServer((request, response) => {
    answer(request, services, isAllowed)
      .catch((error): Answer => {
        if (error instanceof Refused) return { status: error.status, body: { error: error.message } }
        log('request failed', { path: request.url, ...described(error) })
        return { status: 500, body: { error: 'internal error' } }
      })
      .then((given) => send(request, response, given))
  })
  // A connection that sends nothing is not kept for long; answers may take as long as a probe does.
  server.headersTimeout = 10_000
  server.requestTimeout = 30_000
  // The Worker keeps its connections longer than Node's five seconds, and would write into a closed one.
  server.keepAliveTimeout = 75_000
  return server
}

class Refused extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const answer = async (
  request: IncomingMessage,
  services: Services,
  isAllowed: (header: string | undefined) => boolean,
): Promise<Answer> => {
  const path = request.url?.split('?')[0]
  if (request.method === 'GET' && path === '/health') return { status: 200, body: await services.health() }
  if (!isAllowed(request.headers.authorization)) throw new Refused(401, 'unauthorized')
  if (request.method !== 'POST') throw new Refused(404, 'not found')
  switch (path) {
    case '/steps':
      return { status: statusOf[services.desk.take(await readJson(request, StepOrder))] }
    case '/probe':
      return { status: 200, body: await services.probe(await readJson(request, ProbeOrder)) }
    case '/resolve': {
      const { host, port } = await readJson(request, ResolveOrder)
      return { status: 200, body: { allowed: await services.mayReach(host, port) } }
    }
    default:
      throw new Refused(404, 'not found')
  }
}

const statusOf = { taken: 202, full: 429, stopping: 503 } as const satisfies Record<ReturnType<Desk['take']>, number>

const readJson = async <Schema extends z.ZodType>(
  request: IncomingMessage,
  schema: Schema,
): Promise<z.infer<Schema>> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw new Refused(413, 'the body is too large')
    chunks.push(chunk)
  }
  const read = schema.safeParse(parsed(Buffer.concat(chunks).toString('utf8')))
  if (!read.success)
    throw new Refused(400, `not understood: ${read.error.issues.map(({ path }) => path.join('.')).join(', ')}`)
  return read.data
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refused(400, 'not JSON')
  }
}

/** Digests have one length, so that comparing them tells nothing of the token's. */
const bearer = (token: string): ((header: string | undefined) => boolean) => {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  const expected = digest(`Bearer ${token}`)
  return (header) => timingSafeEqual(digest(header ?? ''), expected)
}

const send = (request: IncomingMessage, response: ServerResponse, { status, body }: Answer): void => {
  const text = body === undefined ? '' : JSON.stringify(body)
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
  // A body that was not read would be taken for the connection's next request.
  response.writeHead(status, request.complete ? headers : { ...headers, connection: 'close' }).end(text)
  request.resume()
}
