import type { Context, MiddlewareHandler } from 'hono'
import { refusal } from '../domain/codes/refusals.ts'
import { MAX_BODY_BYTES } from '../domain/limits.ts'
import { refuseCounted } from './api.ts'
import type { Api } from './context.ts'

/** Before a schema sees a body: it is small, it says it is plain JSON, and it is. Read once, counted if refused. */
export const jsonBody: MiddlewareHandler<Api> = async (c, next) => {
  if (c.req.method !== 'POST' && c.req.method !== 'PUT') return next()
  if (!isJson(c.req.header('content-type'))) return refuseCounted(c, refusal('UNSUPPORTED_MEDIA_TYPE'))
  if (!isPlain(c.req.header('content-encoding'))) return refuseEncoded(c)
  const text = await limitedText(c.req.raw)
  if (text === null) return refuseCounted(c, refusal('BODY_TOO_LARGE'))
  try {
    JSON.parse(text)
    c.req.raw = new Request(c.req.raw, { body: text, headers: plainJson(c.req.raw.headers) })
  } catch {
    return refuseCounted(c, refusal('INVALID_JSON'))
  }
  return next()
}

const isJson = (contentType = ''): boolean => /^application\/(?:[\w.-]+\+)?json *(?:;|$)/i.test(contentType)

/** Some say of a plain body that it is one. */
const isPlain = (encoding = ''): boolean => ['', 'identity'].includes(encoding.trim().toLowerCase())

/** RFC 9110, 15.5.16: the header tells that it was the encoding, and which one would do. */
const refuseEncoded = (c: Context<Api>) => {
  c.header('Accept-Encoding', 'identity')
  return refuseCounted(c, refusal('UNSUPPORTED_MEDIA_TYPE', {}, 'Send the body as it is, without Content-Encoding.'))
}

/** RFC 6839: any +json is JSON. The validator behind this knows fewer spellings of it. */
const plainJson = (headers: Headers): Headers => {
  const plain = new Headers(headers)
  plain.set('content-type', 'application/json')
  return plain
}

/** null when there is more than we read: a length that is not announced must not fill the memory. */
const limitedText = async ({ body }: Request): Promise<string | null> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    if (size > MAX_BODY_BYTES) return null
    chunks.push(chunk)
  }
  return new Blob(chunks).text()
}
