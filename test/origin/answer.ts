import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createGzip } from 'node:zlib'
import type { Body } from './bodies.ts'
import { happens, type Misbehaviour, numberOf } from './misbehaviour.ts'
import { parseRange, type Range } from './ranges.ts'

export interface Asked {
  request: IncomingMessage
  response: ServerResponse
  query: Misbehaviour
  /** How often this very URL was asked for before. */
  before: number
  contentType: string
  /** Takes its time when the path is throttled. */
  pace(bytes: number): Promise<void>
  /** Resolves when the test lets go of what is held back. */
  released(): Promise<void>
}

/** Answers with a body, as well or as badly as the query says. */
export async function answerWith(body: Body, asked: Asked): Promise<void> {
  const { query, request, response } = asked
  const range = wantedRange(body, asked)
  if (range === 'unsatisfiable') {
    response.writeHead(416, { 'Content-Range': `bytes */${body.sizeBytes}` }).end()
    return
  }
  response.writeHead(range ? 206 : 200, headersOf(body, range, asked))
  if (request.method === 'HEAD') {
    response.end()
    return
  }
  const bytes = body.read(range?.start ?? 0, range?.end ?? body.sizeBytes)
  await (query.has('gzip') ? sendCompressed(bytes, response) : send(bytes, asked))
}

function wantedRange(body: Body, { request, query }: Asked) {
  if (ignoresRanges(query)) return null
  const ifRange = request.headers['if-range']
  const stale = ifRange && ifRange !== `"${body.tag}"` && ifRange !== body.modified.toUTCString()
  if (stale && !query.has('ignoreIfRange')) return null
  const range = parseRange(request.headers.range, body.sizeBytes)
  if (!range || range === 'unsatisfiable' || !query.has('wrongRange') || range.start === 0) return range
  return { start: range.start - 1, end: range.end - 1 }
}

const ignoresRanges = (query: Misbehaviour) => ['noRange', 'chunked', 'gzip'].some((name) => query.has(name))

function headersOf(body: Body, range: Range | null, { query, contentType }: Asked): Record<string, string | number> {
  const total = numberOf(query, 'lieLength') ?? body.sizeBytes
  const disposition = query.get('disposition')
  return {
    'Content-Type': query.get('type') ?? contentType,
    ...(ignoresRanges(query) ? {} : { 'Accept-Ranges': 'bytes' }),
    ...(query.has('gzip') ? { 'Content-Encoding': 'gzip' } : {}),
    ...(query.has('gzip') || query.has('chunked') ? {} : { 'Content-Length': range ? range.end - range.start : total }),
    ...(range ? { 'Content-Range': `bytes ${range.start}-${range.end - 1}/${total}` } : {}),
    // Headers are bytes: what UTF-8 has as two goes out as two characters of Latin-1.
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

/** Sends a body with an eye on the socket, up to where it is to be cut or to stall. */
async function send(bytes: AsyncIterable<Uint8Array>, asked: Asked) {
  const { response, query, before } = asked
  const misbehaves = happens(query, before, 1)
  const limit = misbehaves ? (numberOf(query, 'cutAfter') ?? numberOf(query, 'stallAfter')) : null
  const held = numberOf(query, 'holdAfter') ?? Number.POSITIVE_INFINITY
  let sent = 0
  for await (const piece of bytes) {
    const part = limit === null ? piece : piece.subarray(0, limit - sent)
    await asked.pace(part.length)
    if (sent + part.length > held) await Promise.race([asked.released(), closed(response)])
    if (response.destroyed) return
    if (!response.write(part)) await drained(response)
    sent += part.length
    if (sent === limit) break
  }
  if (limit === null || sent < limit) return finish(asked)
  if (query.has('stallAfter')) return
  hangUp(asked)
}

/** Resolves as well when the reader has gone. */
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

/** After a lie about the length the connection is of no further use, and its end is all the reader gets. */
function finish(asked: Asked) {
  if (asked.query.has('lieLength')) return hangUp(asked)
  asked.response.end()
}

/** Closes the connection, but only after what was written has left: a reset would take it along. */
function hangUp({ response }: Asked) {
  response.uncork()
  response.socket?.destroySoon()
}

async function sendCompressed(bytes: AsyncIterable<Uint8Array>, response: ServerResponse) {
  const gzip = createGzip()
  gzip.pipe(response)
  for await (const piece of bytes) if (!gzip.write(piece)) await once(gzip, 'drain')
  gzip.end()
}
