import type { Clock } from '../clock.ts'
import type { HttpRequest, HttpResponse } from './http-message.ts'
import { sizeOf } from './http-message.ts'
import { R2Error, type R2Store, rangeOf } from './r2.ts'

/** R2's S3 API as far as presigned URLs use it. The signature is not checked, only whether the URL has expired. */
export const s3Door =
  (clock: Clock, store: R2Store, bucketName: string) =>
  ({ method, url, headers, body }: HttpRequest): HttpResponse => {
    const { pathname, searchParams } = url
    const prefix = `/${bucketName}/`
    if (!pathname.startsWith(prefix)) return refused(404, 'NoSuchBucket')
    if (expiryOf(searchParams) <= clock.now) return refused(403, 'AccessDenied')
    const key = decodeURIComponent(pathname.slice(prefix.length))
    if (method === 'PUT') {
      const announced = headers.get('content-length')
      const isSigned = searchParams.get('X-Amz-SignedHeaders')?.split(';').includes('content-length')
      if (isSigned && announced !== null && Number(announced) !== sizeOf(body))
        return refused(403, 'SignatureDoesNotMatch')
      return put(store, key, searchParams, { headers, body })
    }
    if (method !== 'GET' && method !== 'HEAD') return refused(405, 'MethodNotAllowed')
    const found = store.get(key)
    if (!found) return refused(404, 'NoSuchKey')
    const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(headers.get('range') ?? '') ?? []
    const offset = Number(first ?? 0)
    const length = last ? Number(last) - offset + 1 : undefined
    const { range, body: content } = rangeOf(found.body, { offset, ...(length !== undefined && { length }) })
    const size = sizeOf(found.body)
    const answered = {
      etag: `"${found.etag}"`,
      'content-length': `${range.length}`,
      'content-type': found.httpMetadata.contentType ?? 'application/octet-stream',
      ...(first !== undefined && { 'content-range': `bytes ${offset}-${offset + range.length - 1}/${size}` }),
    }
    return { status: first === undefined ? 200 : 206, headers: answered, body: method === 'HEAD' ? null : content }
  }

const put = (
  store: R2Store,
  key: string,
  query: URLSearchParams,
  { headers, body }: Pick<HttpRequest, 'headers' | 'body'>,
): HttpResponse => {
  const uploadId = query.get('uploadId')
  if (uploadId === null) {
    const contentType = headers.get('content-type')
    const { etag } = store.put(key, body, { httpMetadata: contentType === null ? {} : { contentType } })
    return { status: 200, headers: { etag: `"${etag}"` } }
  }
  try {
    const { etag } = store.uploadPart(key, uploadId, Number(query.get('partNumber')), body)
    return { status: 200, headers: { etag: `"${etag}"` } }
  } catch (cause) {
    if (cause instanceof R2Error) return refused(404, 'NoSuchUpload')
    throw cause
  }
}

/** In ms since the epoch. */
const expiryOf = (query: URLSearchParams): number => {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(query.get('X-Amz-Date') ?? '') ?? []
  const signedAt = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second))
  return signedAt + Number(query.get('X-Amz-Expires')) * 1_000
}

const refused = (status: number, code: string): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code></Error>`,
})
