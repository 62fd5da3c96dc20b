import { readFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { join, normalize } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { listenOnLoopback } from '../../support/loopback.ts'
import { type Body, fileBody, generatedBody, textBody } from './bodies.ts'
import { contentTypeOf } from './content-types.ts'
import { altersText, alterText, happens, numberOf } from './faults.ts'
import { fixturesRoot } from './fixtures.ts'
import { pages } from './pages.ts'
import { respondWith } from './respond.ts'
import { createThrottle } from './throttle.ts'

/**
 * A web server for tests, on 127.0.0.1. It serves
 *
 *   /media/<path>            the fixtures (recipes.ts), or the folder `root`
 *   /generated/<bytes>.mp4   a playable mp4 of any size (bodies.ts)
 *   /page/<name>             web pages (pages.ts)
 *
 * and injects the faults that the query names (faults.ts).
 */
export interface Origin {
  /** Without a slash at the end. */
  url: string
  /** `127.0.0.1:<port>`, for ALLOW_PRIVATE_HOSTS. */
  host: string
  /** All requests, in order of arrival. */
  requests: OriginRequest[]
  /** Of all bodies together. */
  readonly sentBytes: number
  /** Sends the rest of a body that `holdAfter` holds, for this path and query. */
  release(target: string): void
  close(): Promise<void>
}

export interface OriginRequest {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
}

export interface OriginOptions {
  /** The folder that /media/ serves instead of the fixtures. */
  root?: string
  port?: number | undefined
}

export async function startOrigin({ root = fixturesRoot, port }: OriginOptions = {}): Promise<Origin> {
  const requests: OriginRequest[] = []
  const holds = createHolds()
  let sentBytes = 0
  const onSent = (bytes: number) => {
    sentBytes += bytes
  }
  const handle = createHandler(root, holds, onSent)
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://origin')
    requests.push({ method: request.method ?? '', path: pathname, query: searchParams, headers: request.headers })
    handle(request, response).catch((error) => response.destroy(error))
  })
  const { url, host, close } = await listenOnLoopback(server, port)
  return {
    ...{ url, host, requests, close },
    get sentBytes() {
      return sentBytes
    },
    release: (target) => holds(target).resolve(),
  }
}

type Holds = (target: string) => PromiseWithResolvers<void>

/** A promise for each URL, which resolves when the test releases it. */
function createHolds(): Holds {
  const holds = new Map<string, PromiseWithResolvers<void>>()
  return (target) => {
    const hold = holds.get(target) ?? Promise.withResolvers<void>()
    holds.set(target, hold)
    return hold
  }
}

/** Keeps the number of requests for each URL and the throttle of each path. */
function createHandler(root: string, holds: Holds, onSent: (bytes: number) => void) {
  const counts = new Map<string, number>()
  const running = new Map<string, number>()
  const throttles = new Map<string, (bytes: number) => Promise<void>>()

  return async (request: IncomingMessage, response: ServerResponse) => {
    const target = request.url ?? '/'
    const { pathname, searchParams: query } = new URL(target, 'http://origin')
    const before = counts.get(target) ?? 0
    counts.set(target, before + 1)
    running.set(pathname, (running.get(pathname) ?? 0) + 1)
    response.once('close', () => running.set(pathname, (running.get(pathname) ?? 1) - 1))

    await sleep(numberOf(query, 'slowFirstByteMs') ?? 0)
    const isOverloaded = (running.get(pathname) ?? 0) > (numberOf(query, 'maxParallel') ?? Number.POSITIVE_INFINITY)
    if (isOverloaded) return sendStatus(response, 503)
    if (sentWithoutBody(request, response, query, before)) return

    const body = await bodyAt(root, decodeURIComponent(pathname), query, before)
    if (!body) return sendStatus(response, 404)
    const rate = numberOf(query, 'ratePerSecond')
    if (rate && !throttles.has(pathname)) throttles.set(pathname, createThrottle(rate))
    const throttle = rate ? throttles.get(pathname) : undefined
    const pace = async (bytes: number) => {
      onSent(bytes)
      await throttle?.(bytes)
    }
    const released = () => holds(target).promise
    await respondWith(body, { request, response, query, before, contentType: contentTypeOf(pathname), pace, released })
  }
}

/** Sends a response without the file, if the query selects one. */
function sentWithoutBody(request: IncomingMessage, response: ServerResponse, query: URLSearchParams, before: number) {
  const status = numberOf(query, 'status')
  if (status && happens(query, before, Number.POSITIVE_INFINITY)) return sendStatus(response, status, query)
  const referer = query.get('needReferer')
  if (referer !== null && !request.headers.referer?.includes(referer)) return sendStatus(response, 403)
  const location = query.get('redirectTo') ?? nextRedirect(request.url ?? '/', query)
  if (location) return response.writeHead(302, { Location: location }).end()
  return null
}

function nextRedirect(target: string, query: URLSearchParams) {
  const left = numberOf(query, 'redirect')
  return left ? target.replace(`redirect=${left}`, `redirect=${left - 1}`) : null
}

function sendStatus(response: ServerResponse, status: number, query?: URLSearchParams) {
  const retryAfter = query?.get('retryAfter')
  return response.writeHead(status, retryAfter ? { 'Retry-After': retryAfter } : {}).end(`${status}\n`)
}

async function bodyAt(root: string, path: string, query: URLSearchParams, before: number): Promise<Body | null> {
  const [, folder, rest] = /^\/(media|generated|page)\/(.+)$/.exec(normalize(path)) ?? []
  if (!folder || !rest) return null
  if (folder === 'page') return pages[rest] === undefined ? null : textBody(alterText(pages[rest], query))
  const changesAfter = numberOf(query, 'etagChanges') ?? Number.POSITIVE_INFINITY
  const version = before < changesAfter ? 0 : 1
  if (folder === 'generated') {
    return generatedBody(join(fixturesRoot, 'faststart.mp4'), Number.parseInt(rest, 10), version)
  }
  const file = join(root, rest)
  if (altersText(query)) return textBody(alterText(await readFile(file, 'utf8'), query))
  const body = await fileBody(file)
  return body && { ...body, tag: `${body.tag}-${version}` }
}
