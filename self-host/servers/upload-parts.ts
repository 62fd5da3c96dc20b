import type { IncomingMessage, ServerResponse } from 'node:http'
import { forward } from './forward.ts'

export const S3_PATH = '/cdn-cgi/local/r2/s3/haul-media'

/**
 * The only way to the S3 API on the public server: `PUT` to presigned URLs of uploads, and a browser's preflight.
 * `pathname` is normalized, so that no `..` leads out of the folder. The signature decides about everything else.
 */
export const isUploadPart = ({ method }: IncomingMessage, { pathname }: URL): boolean =>
  (method === 'PUT' || method === 'OPTIONS') && pathname.startsWith(`${S3_PATH}/uploads/`)

/**
 * Only these headers are forwarded. Miniflare obeys `x-amz-copy-source`, which the signature does not cover: a caller
 * could copy any stored file whose name is known into the part. Miniflare also refuses the `Origin` of other pages.
 */
const passed = ['content-length', 'content-type']

/** The URL of a part is the permission, so pages of every origin may send the part and read the response. */
const forEveryPage = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'ETag' }

/** The same for R2 is in scripts/deploy/cors.json. */
const preflight = {
  ...forEveryPage,
  'access-control-allow-methods': 'PUT',
  'access-control-allow-headers': 'content-type',
  'access-control-max-age': '86400',
}

export const forwardPart = (
  request: IncomingMessage,
  response: ServerResponse,
  target: URL,
  signedHost: string,
): void => {
  const { method, headers } = request
  if (method === 'OPTIONS') {
    response.writeHead(204, preflight).end()
    return
  }
  response.setHeaders(new Map(Object.entries(forEveryPage)))
  const sent = passed.flatMap((name) => (typeof headers[name] === 'string' ? [name, headers[name]] : []))
  forward(request, response, target, [...sent, 'host', signedHost])
}
