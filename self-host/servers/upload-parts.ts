import type { IncomingMessage, ServerResponse } from 'node:http'
import { forEveryPage, forwarded, preflight } from '../../domain/uploads/part-requests.ts'
import { forward } from './forward.ts'

export const S3_PATH = '/cdn-cgi/local/r2/s3/haul-media'

/**
 * The only way to the S3 API on the public server: `PUT` to presigned URLs of uploads, and a browser's preflight.
 * `pathname` is normalized, so that no `..` leads out of the folder. The signature decides about everything else.
 */
export const isUploadPart = ({ method }: IncomingMessage, { pathname }: URL): boolean =>
  (method === 'PUT' || method === 'OPTIONS') && pathname.startsWith(`${S3_PATH}/uploads/`)

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
  const sent = forwarded.flatMap((name) => (typeof headers[name] === 'string' ? [name, headers[name]] : []))
  forward(request, response, target, [...sent, 'host', signedHost])
}
