import { create } from 'content-disposition'
import { mediaKey, removedMarkKey, thumbnailKey } from '../../domain/media/media-keys.ts'
import { typeOfFile } from '../../domain/media/media-types.ts'
import { signingKey } from '../env.ts'
import { checkLink, THUMBNAIL } from './links.ts'
import { namesOf } from './object-secret.ts'
import { ifNoneMatchMatches, ifRangeMatches, parseRange } from './range.ts'

/** The requested range is outside of the file. */
type Unsatisfiable = { sizeBytes: number }

/** The link's signature authorizes the request. */
export const serveLink = async (
  env: Env,
  request: Request,
  jobId: string,
  filename: string,
): Promise<Response | Unsatisfiable | 'invalid' | 'expired'> => {
  const { searchParams } = new URL(request.url)
  const expires = searchParams.get('expires') ?? ''
  const signature = searchParams.get('signature') ?? ''
  const key = await signingKey(env, 'media-links')
  const link = await checkLink(key, { jobId, filename, expires, signature }, Date.now())
  if (!link.valid) return 'invalid'
  if (link.expired) return 'expired'
  const keyOf = filename === THUMBNAIL ? thumbnailKey : mediaKey
  const objectKey = keyOf(jobId, await namesOf(env, { jobId, attempt: link.attempt }))
  return (await serve(env.MEDIA, objectKey, request, { filename, expiresAt: Number(expires) * 1000 })) ?? 'expired'
}

const serve = async (
  bucket: R2Bucket,
  key: string,
  request: Request,
  { filename, expiresAt }: { filename: string; expiresAt: number },
): Promise<Response | Unsatisfiable | null> => {
  const [object, removed] = await Promise.all([bucket.head(key), isRemoved(bucket, key)])
  if (!object || removed) return null
  const headers = headersOf(object, filename, expiresAt)
  if (ifNoneMatchMatches(request.headers.get('if-none-match'), object.httpEtag))
    return new Response(null, { status: 304, headers })

  const range = parseRange(rangeHeader(request, object.httpEtag), object.size)
  if (range.kind === 'unsatisfiable') return { sizeBytes: object.size }
  const { offset, length } = range.kind === 'part' ? range : { offset: 0, length: object.size }
  headers.set('content-length', `${length}`)
  if (range.kind === 'part') headers.set('content-range', `bytes ${offset}-${offset + length - 1}/${object.size}`)
  const status = range.kind === 'part' ? 206 : 200
  if (request.method === 'HEAD' || length === 0) return new Response(null, { status, headers })

  const body = await bucket.get(key, { range: { offset, length }, onlyIf: { etagMatches: object.etag } })
  return body && 'body' in body ? new Response(body.body, { status, headers }) : null
}

/** Media that was deleted stays in storage while a transcription reads it. A thumbnail is deleted at once. */
const isRemoved = async (bucket: R2Bucket, key: string): Promise<boolean> =>
  key.endsWith('/media') && (await bucket.head(removedMarkKey(key))) !== null

/** RFC 9110 defines ranges for GET only. */
const rangeHeader = ({ method, headers }: Request, etag: string): string | null =>
  method === 'GET' && ifRangeMatches(headers.get('if-range'), etag) ? headers.get('range') : null

const headersOf = (object: R2Object, filename: string, expiresAt: number): Headers =>
  new Headers({
    'accept-ranges': 'bytes',
    'cache-control': `private, max-age=${Math.max(0, Math.floor((expiresAt - Date.now()) / 1000))}`,
    'content-disposition': create(filename, { type: 'inline' }),
    // Derived from the filename, which was chosen when the format was known and never maps to an executable type.
    'content-type': typeOfFile(filename, object.httpMetadata?.contentType),
    // Untrusted content must not run as a page of this origin.
    'content-security-policy': "sandbox; default-src 'none'; media-src 'self'",
    // The link itself authorizes the request, so pages of any origin may play the file, including ranges of it.
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'accept-ranges, content-range, etag',
    etag: object.httpEtag,
    'last-modified': object.uploaded.toUTCString(),
  })
