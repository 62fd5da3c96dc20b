import { readFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { join, normalize } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onLoopback } from '../loopback.ts'
import { answerWith } from './answer.ts'
import { type Body, fileBody, generatedBody, textBody } from './bodies.ts'
import { fixturesRoot } from './fixtures.ts'
import { altersText, alterText, happens, numberOf } from './misbehaviour.ts'
import { pages } from './pages.ts'
import { createThrottle } from './throttle.ts'
import { typeOf } from './types.ts'

/**
 * The web as the tests know it: media, manifests and pages on 127.0.0.1, from
 *
 *   /media/<path>            the fixtures (recipes.ts), or the folder given as `root`
 *   /generated/<bytes>.mp4   an mp4 that plays, of any size (bodies.ts)
 *   /page/<name>             pages (pages.ts)
 *
 * each with any of the misbehaviours of misbehaviour.ts in its query.
 */
export interface Origin {
  /** Without a slash at the end. */
  url: string
  /** `127.0.0.1:<port>`, as ALLOW_PRIVATE_HOSTS wants it. */
  host: string
  /** Every request so far, in order of arrival. */
  requests: OriginRequest[]
  /** Sends what `holdAfter` holds back of this path and query. */
  letGo(target: string): void
  close(): Promise<void>
}

export interface OriginRequest {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
}

export interface OriginOptions {
  /** What /media/ serves instead of the fixtures. */
  root?: string
  port?: number
}

export async function startOrigin({ root = fixturesRoot, port = 0 }: OriginOptions = {}): Promise<Origin> {
  const requests: OriginRequest[] = []
  const holds = createHolds()
  const answer = createAnswering(root, holds)
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://origin')
    requests.push({ method: request.method ?? '', path: pathname, query: searchParams, headers: request.headers })
    answer(request, response).catch((error) => response.destroy(error))
  })
  const { url, host, close } = await onLoopback(server, port)
  return { url, host, requests, close, letGo: (target) => holds(target).resolve() }
}

type Holds = (target: string) => PromiseWithResolvers<void>

/** What each URL waits for. */
function createHolds(): Holds {
  const holds = new Map<string, PromiseWithResolvers<void>>()
  return (target) => {
    const hold = holds.get(target) ?? Promise.withResolvers<void>()
    holds.set(target, hold)
    return hold
  }
}

/** State that lives as long as the origin: how often each URL was asked for, and each path's pace. */
function createAnswering(root: string, holds: Holds) {
  const asked = new Map<string, number>()
  const running = new Map<string, number>()
  const throttles = new Map<string, (bytes: number) => Promise<void>>()

  return async (request: IncomingMessage, response: ServerResponse) => {
    const target = request.url ?? '/'
    const { pathname, searchParams: query } = new URL(target, 'http://origin')
    const before = asked.get(target) ?? 0
    asked.set(target, before + 1)
    running.set(pathname, (running.get(pathname) ?? 0) + 1)
    response.once('close', () => running.set(pathname, (running.get(pathname) ?? 1) - 1))

    await sleep(numberOf(query, 'slowFirstByteMs') ?? 0)
    const isCrowded = (running.get(pathname) ?? 0) > (numberOf(query, 'maxParallel') ?? Number.POSITIVE_INFINITY)
    if (isCrowded) return refuse(response, 503)
    if (isRefused(request, response, query, before)) return

    const body = await bodyAt(root, decodeURIComponent(pathname), query, before)
    if (!body) return refuse(response, 404)
    const rate = numberOf(query, 'ratePerSecond')
    if (rate && !throttles.has(pathname)) throttles.set(pathname, createThrottle(rate))
    const pace = (rate && throttles.get(pathname)) || (async () => {})
    const released = () => holds(target).promise
    await answerWith(body, { request, response, query, before, contentType: typeOf(pathname), pace, released })
  }
}

/** Answers that have no body of the file. */
function isRefused(request: IncomingMessage, response: ServerResponse, query: URLSearchParams, before: number) {
  const status = numberOf(query, 'status')
  if (status && happens(query, before, Number.POSITIVE_INFINITY)) return refuse(response, status, query)
  const referer = query.get('needReferer')
  if (referer !== null && !request.headers.referer?.includes(referer)) return refuse(response, 403)
  const location = query.get('redirectTo') ?? nextRedirect(request.url ?? '/', query)
  if (location) return response.writeHead(302, { Location: location }).end()
  return null
}

function nextRedirect(target: string, query: URLSearchParams) {
  const left = numberOf(query, 'redirect')
  return left ? target.replace(`redirect=${left}`, `redirect=${left - 1}`) : null
}

function refuse(response: ServerResponse, status: number, query?: URLSearchParams) {
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
