import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createGzip } from 'node:zlib'
import type { Body } from './bodies.ts'
import { type FaultQuery, happens, numberOf } from './faults.ts'

export interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  query: FaultQuery
  /** The number of earlier requests for this URL. */
  before: number
  contentType: string
  /** Waits as long as the path is throttled. */
  pace(bytes: number): Promise<void>
  /** Resolves when the test releases the held bytes. */
  released(): Promise<void>
}

/** Sends the body with the faults of the query. */
export async function respondWith(body: Body, exchange: Exchange): Promise<void> {
  const { query, request, response } = exchange
  const range = requestedRange(body, exchange)
  if (range === 'unsatisfiable') {
    response.writeHead(416, { 'Content-Range': `bytes */${body.sizeBytes}` }).end()
    return
  }
  response.writeHead(range ? 206 : 200, headersOf(body, range, exchange))
  if (request.method === 'HEAD') {
    response.end()
    return
  }
  const bytes = body.read(range?.start ?? 0, range?.end ?? body.sizeBytes)
  await (query.has('gzip') ? sendCompressed(bytes, response) : send(bytes, exchange))
}

function requestedRange(body: Body, { request, query }: Exchange) {
  if (ignoresRanges(query)) return null
  if (query.has('secondHalf')) return { start: Math.floor(body.sizeBytes / 2), end: body.sizeBytes }
  const ifRange = request.headers['if-range']
  const stale = ifRange && ifRange !== `"${body.tag}"` && ifRange !== body.modified.toUTCString()
  if (stale && !query.has('ignoreIfRange')) return null
  const range = parseRange(request.headers.range, body.sizeBytes)
  if (!range || range === 'unsatisfiable' || !query.has('wrongRange') || range.start === 0) return range
  return { start: range.start - 1, end: range.end - 1 }
}

const ignoresRanges = (query: FaultQuery) => ['noRange', 'chunked', 'gzip'].some((name) => query.has(name))

function headersOf(body: Body, range: Range | null, { query, contentType }: Exchange): Record<string, string | number> {
  const total = numberOf(query, 'lieLength') ?? body.sizeBytes
  const disposition = query.get('disposition')
  return {
    'Content-Type': query.get('type') ?? contentType,
    ...(ignoresRanges(query) ? {} : { 'Accept-Ranges': 'bytes' }),
    ...(query.has('gzip') ? { 'Content-Encoding': 'gzip' } : {}),
    ...(query.has('gzip') || query.has('chunked') ? {} : { 'Content-Length': range ? range.end - range.start : total }),
    ...(range ? { 'Content-Range': `bytes ${range.start}-${range.end - 1}/${total}` } : {}),
    // Node writes header characters as Latin-1 bytes, so UTF-8 bytes are passed as Latin-1 characters.
    ...(disposition ? { 'Content-Disposition': Buffer.from(disposition).toString('latin1') } : {}),
    ...validatorsOf(body, query.get('validator')),
  }
}

function validatorsOf(body: Body, kind: string | null): Record<string, string> {
  if (kind === 'none') return {}
  if (kind === 'weak') return { ETag: `W/"${body.tag}"` }
  if (kind === 'date') return { 'Last-Modified': body.modified.toUTCString() }
  return { ETag: `"${body.tag}"`, 'Last-Modified': body.modified.toUTCString() }
}

/** Sends a body with backpressure, up to the byte where it is cut or stalls. */
async function send(bytes: AsyncIterable<Uint8Array>, exchange: Exchange) {
  const { response, query, before } = exchange
  const isFaulty = happens(query, before, 1)
  const limit = isFaulty ? (numberOf(query, 'cutAfter') ?? numberOf(query, 'stallAfter')) : null
  const holdAfter = numberOf(query, 'holdAfter') ?? Number.POSITIVE_INFINITY
  let sent = 0
  let held: Promise<unknown> | undefined
  for await (const chunk of bytes) {
    const part = limit === null ? chunk : chunk.subarray(0, limit - sent)
    await exchange.pace(part.length)
    if (sent + part.length > holdAfter) {
      // One promise for all chunks, because each closed() adds listeners.
      held ??= Promise.race([exchange.released(), closed(response)])
      await held
    }
    if (response.destroyed) return
    if (!response.write(part)) await drained(response)
    sent += part.length
    if (sent === limit) break
  }
  if (limit === null || sent < limit) return finish(exchange)
  if (query.has('stallAfter')) return
  closeConnection(exchange)
}

/** Also resolves when the client has disconnected. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.on('drain', done).on('close', done)
  })
}

const closed = (response: ServerResponse): Promise<unknown> =>
  response.destroyed ? Promise.resolve() : once(response, 'close')

/** After a wrong Content-Length the connection cannot be reused, so it is closed. */
function finish(exchange: Exchange) {
  if (exchange.query.has('lieLength')) return closeConnection(exchange)
  exchange.response.end()
}

/** Closes the connection after everything is sent. A reset would discard unsent bytes. */
function closeConnection({ response }: Exchange) {
  response.uncork()
  response.socket?.destroySoon()
}

async function sendCompressed(bytes: AsyncIterable<Uint8Array>, response: ServerResponse) {
  const gzip = createGzip()
  gzip.pipe(response)
  for await (const chunk of bytes) if (!gzip.write(chunk)) await once(gzip, 'drain')
  gzip.end()
}

interface Range {
  start: number
  /** Exclusive. */
  end: number
}

/** RFC 9110 14.1.2, a single range only. `null`: there is no Range header, or it is invalid and ignored. */
function parseRange(header: string | undefined, sizeBytes: number): Range | 'unsatisfiable' | null {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (!first && !last) return null
  const start = first ? Number(first) : Math.max(0, sizeBytes - Number(last))
  const end = first && last ? Math.min(sizeBytes, Number(last) + 1) : sizeBytes
  return start < end ? { start, end } : 'unsatisfiable'
}
