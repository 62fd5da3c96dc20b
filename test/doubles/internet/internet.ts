import type { IncomingMessage, ServerResponse } from 'node:http'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { FILM_BYTES } from '../../worker/support/film.ts'
import { createEngines } from './engines.ts'
import { createFeeds } from './feeds.ts'
import { createSpeechServices } from './speech-services.ts'

/**
 * Everything outside the Worker in its tests: hosts with fixed behaviour, and the containers. Unknown hosts serve media,
 * so a test fails when a guard lets a private address through. Test files that run at the same time each have their own.
 */
export const createInternet = () => {
  const feeds = createFeeds()
  const engines = createEngines(feeds)
  const hosts: Record<string, Host> = {
    ...fixedHosts,
    ...createSpeechServices(),
    'held.example': createHold(),
    'engines.example': engines.control,
    'feeds.example': feeds.serve,
  }
  return (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`)
    const host = url.hostname === '127.0.0.1' ? engines.serve : (hosts[url.hostname] ?? serveFilm)
    void host({ url, request, response })
  }
}

interface Exchange {
  url: URL
  request: IncomingMessage
  response: ServerResponse
}

type Host = (exchange: Exchange) => void | Promise<void>

/** Serves ranges, as most media hosts do. */
const serveFilm: Host = ({ response }) => {
  const headers = { 'content-type': 'video/mp4', 'content-range': `bytes 0-1023/${FILM_BYTES}` }
  response.writeHead(206, headers).end(Buffer.alloc(1024))
}

/** Announces 100 MB, or the size in the path. */
const serveLargeFilm: Host = ({ url, response }) => {
  const sizeBytes = /^\/(\d+)\.mp4$/.exec(url.pathname)?.[1] ?? 100_000_000
  const headers = { 'content-type': 'video/mp4', 'content-range': `bytes 0-1023/${sizeBytes}` }
  response.writeHead(206, headers).end(Buffer.alloc(1024))
}

/** Responds with the status in the path. */
const sendStatus: Host = ({ url, response }) => {
  response.writeHead(Number(url.pathname.slice(1)), { 'content-type': 'text/plain' }).end('the requested status')
}

const sendPage: Host = ({ response }) => {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<title>a page</title>')
}

/** `/3/https://…` redirects three times, the last time to the URL behind the number. */
const redirect: Host = ({ url, response }) => {
  const [, times = '', to = ''] = /^\/(\d+)\/(.*)$/.exec(url.pathname) ?? []
  const left = Number(times) - 1
  response.writeHead(302, { location: left > 0 ? `/${left}/${to}` : to }).end()
}

const closeConnection: Host = ({ request }) => {
  request.socket.destroy()
}

const neverRespond: Host = () => {}

/** The response to `/wait/x` is held until a request for `/go/x`; `/has/x` is 200 while it is held. */
const createHold = (): Host => {
  const held = new Map<string, () => void>()
  return (exchange) => {
    const [, what, name = ''] = exchange.url.pathname.split('/')
    if (what === 'wait') return void held.set(name, () => serveFilm(exchange))
    exchange.response.writeHead(held.has(name) ? 200 : 404).end()
    if (what === 'go') held.get(name)?.()
  }
}

/** Validates OpenAPI documents. The validator compiles schemas to code, which the Workers runtime forbids. */
const validateDocument: Host = async ({ request, response }) => {
  const document = JSON.parse(Buffer.concat(await request.toArray()).toString())
  const result = await new Validator().validate(document)
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result))
}

/** Whether each value is valid by the schema at `place` of the document, a JSON pointer. */
const validateValues: Host = async ({ request, response }) => {
  const { document, checks } = JSON.parse(Buffer.concat(await request.toArray()).toString())
  const ajv = new Ajv2020({ strict: false, validateFormats: false, multipleOfPrecision: 9 })
  ajv.addSchema(document, 'document')
  const results = checks.map(({ place, value }: { place: string; value: unknown }) =>
    ajv.compile({ $ref: `document#${place}` })(value),
  )
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(results))
}

const fixedHosts: Record<string, Host> = {
  'media.example': serveFilm,
  'large.example': serveLargeFilm,
  'page.example': sendPage,
  'status.example': sendStatus,
  'moved.example': redirect,
  'refused.example': closeConnection,
  'slow.example': neverRespond,
  'refused.proxied.example': closeConnection,
  'slow.proxied.example': neverRespond,
  'status.proxied.example': sendStatus,
  'validator.example': validateDocument,
  'schemas.example': validateValues,
}
