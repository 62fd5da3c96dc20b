import type { IncomingMessage, ServerResponse } from 'node:http'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { z } from 'zod'
import type { ProbeAnswer, ProbedSource, ResolveAnswer } from '../../container/protocol.ts'
import { FILM_BYTES, film } from './origin-facts.ts'
import { speechServices } from './speech-services.ts'

/**
 * All that the Worker reaches from its tests: a small internet whose hosts always do the same, and the
 * container, as container/protocol.ts has it. Whatever is not named here answers with media, so that a
 * guard that lets a private address through is found out.
 */
export const internet = (request: IncomingMessage, response: ServerResponse): void => {
  const url = new URL(request.url ?? '/', `http://${request.headers.host}`)
  const host = url.hostname === '127.0.0.1' ? container : (hosts[url.hostname] ?? servesFilm)
  void host({ url, request, response })
}

interface Visit {
  url: URL
  request: IncomingMessage
  response: ServerResponse
}

type Host = (visit: Visit) => void | Promise<void>

/** Serves ranges, as most origins of media do. */
const servesFilm: Host = ({ response }) => {
  const headers = { 'content-type': 'video/mp4', 'content-range': `bytes 0-1023/${FILM_BYTES}` }
  response.writeHead(206, headers).end(Buffer.alloc(1024))
}

/** Answers with the status that the path names. */
const says: Host = ({ url, response }) => {
  response.writeHead(Number(url.pathname.slice(1)), { 'content-type': 'text/plain' }).end('as you wish')
}

const page: Host = ({ response }) => {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<title>a page</title>')
}

/** `/3/https://…` redirects three times, then to what stands behind it. */
const redirects: Host = ({ url, response }) => {
  const [, times = '', to = ''] = /^\/(\d+)\/(.*)$/.exec(url.pathname) ?? []
  const left = Number(times) - 1
  response.writeHead(302, { location: left > 0 ? `/${left}/${to}` : to }).end()
}

const hangsUp: Host = ({ request }) => {
  request.socket.destroy()
}

const saysNothing: Host = () => {}

const held = new Map<string, () => void>()

/** `/wait/x` is answered when somebody asks for `/go/x`; `/has/x` tells whether it waits. */
const waits: Host = (visit) => {
  const [, what, name = ''] = visit.url.pathname.split('/')
  if (what === 'wait') return void held.set(name, () => servesFilm(visit))
  visit.response.writeHead(held.has(name) ? 200 : 404).end()
  if (what === 'go') held.get(name)?.()
}

/** Judges OpenAPI documents; a validator makes code of schemas, which the Workers runtime does not allow. */
const validates: Host = async ({ request, response }) => {
  const document = JSON.parse(Buffer.concat(await request.toArray()).toString())
  const verdict = await new Validator().validate(document)
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(verdict))
}

const hosts: Record<string, Host> = {
  ...speechServices,
  'media.example': servesFilm,
  'page.example': page,
  'status.example': says,
  'moved.example': redirects,
  'refused.example': hangsUp,
  'slow.example': saysNothing,
  'held.example': waits,
  'validator.example': validates,
}

/** Names that the guard of the container does not let through: one leads nowhere, one to a private address. */
const forbidden = ['nowhere.example', 'inside.example']

const container: Host = async ({ url, request, response }) => {
  if (request.headers.authorization !== 'Bearer engine-token') return void response.writeHead(401).end()
  const order = JSON.parse(Buffer.concat(await request.toArray()).toString() || '{}')
  const answers: Record<string, () => unknown> = {
    '/resolve': () => ({ allowed: !forbidden.includes(order.host) }) satisfies z.infer<typeof ResolveAnswer>,
    '/probe': () => probed(order.url),
    '/steps': () => ({}),
  }
  if (order.url?.endsWith('/breaks')) return void response.writeHead(500).end('{"error":"internal error"}')
  const body = answers[url.pathname]?.()
  const status = body === undefined ? 404 : url.pathname === '/steps' ? 202 : 200
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** `https://media.example/fails/SOURCE_PRIVATE` is a source that fails with that code; at `/breaks` the container does. */
const probed = (url: string): ProbeAnswer => {
  const code = /\/fails\/(\w+)$/.exec(url)?.[1]
  if (code) return { status: 'failed', code, message: `it fails with ${code}` }
  return { status: 'done', source: url.includes('/unknown') ? { ...film, ...unknown } : film }
}

/** A source that says little of itself. */
const unknown: Partial<ProbedSource> = {
  durationSeconds: null,
  thumbnailUrl: null,
  contentType: null,
  fileSizeBytes: null,
  captions: [],
  downloads: film.downloads.map(({ selection }) => ({ selection, bytes: null, isEstimate: false })),
}
