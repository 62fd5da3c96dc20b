import { create } from 'content-disposition'
import { typeOfFile } from '../domain/media/media-types.ts'
import { isKnownTo, rangeHolds, wantedRange } from './range.ts'

/** The range that was asked for lies outside of an object of that size. */
export interface Outside {
  sizeBytes: number
}

/** Answers a request for a stored object: 200, 206 or 304; null when the object is gone. */
export const serve = async (
  bucket: R2Bucket,
  key: string,
  request: Request,
  { filename, expiresAt }: { filename: string; expiresAt: number },
): Promise<Response | Outside | null> => {
  const object = await bucket.head(key)
  if (!object) return null
  const headers = headersOf(object, filename, expiresAt)
  if (isKnownTo(request.headers.get('if-none-match'), object.httpEtag))
    return new Response(null, { status: 304, headers })

  const wanted = wantedRange(rangeOf(request, object.httpEtag), object.size)
  if (wanted.kind === 'unsatisfiable') return { sizeBytes: object.size }
  const { offset, length } = wanted.kind === 'part' ? wanted : { offset: 0, length: object.size }
  headers.set('content-length', `${length}`)
  if (wanted.kind === 'part') headers.set('content-range', `bytes ${offset}-${offset + length - 1}/${object.size}`)
  const status = wanted.kind === 'part' ? 206 : 200
  if (request.method === 'HEAD' || length === 0) return new Response(null, { status, headers })

  const body = await bucket.get(key, { range: { offset, length }, onlyIf: { etagMatches: object.etag } })
  return body && 'body' in body ? new Response(body.body, { status, headers }) : null
}

/** RFC 9110 has ranges for GET alone. */
const rangeOf = ({ method, headers }: Request, etag: string): string | null =>
  method === 'GET' && rangeHolds(headers.get('if-range'), etag) ? headers.get('range') : null

const headersOf = (object: R2Object, filename: string, expiresAt: number): Headers =>
  new Headers({
    'accept-ranges': 'bytes',
    'cache-control': `private, max-age=${Math.max(0, Math.floor((expiresAt - Date.now()) / 1000))}`,
    'content-disposition': create(filename, { type: 'inline' }),
    // The name was given when the bytes were known, and leads to no type that could run.
    'content-type': typeOfFile(filename, object.httpMetadata?.contentType),
    // Strangers' bytes: nothing in them may run as a page of ours.
    'content-security-policy': "sandbox; default-src 'none'; media-src 'self'",
    'x-content-type-options': 'nosniff',
    // The link is the permission, so a page of any origin may play it, in pieces too.
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'accept-ranges, content-range, etag',
    etag: object.httpEtag,
    'last-modified': object.uploaded.toUTCString(),
  })
