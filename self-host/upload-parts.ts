import type { IncomingMessage } from 'node:http'

/** The path of the media bucket in miniflare's S3 API. */
export const S3_PATH = '/cdn-cgi/local/r2/s3/haul-media'

/**
 * Callers send the parts of uploads to presigned URLs of the S3 API. This is the only way to it on the public server:
 * `PUT` to objects of uploads, and the preflight of a browser. `pathname` is normalized, so that no `..` leads out of
 * the folder. The signature decides about everything else.
 */
export const isUploadPart = ({ method }: IncomingMessage, { pathname }: URL): boolean =>
  (method === 'PUT' || method === 'OPTIONS') && pathname.startsWith(`${S3_PATH}/uploads/`)

/**
 * No other headers: miniflare obeys `x-amz-copy-source` although the signature does not cover it, which would copy any
 * stored file whose name is known into the part. It also refuses the origins of other pages.
 */
const passed = ['content-length', 'content-type', 'access-control-request-method', 'access-control-request-headers']

/** `host`: the one that the signature is for. */
export const headersOfPart = ({ headers }: IncomingMessage, host: string): string[] => [
  ...passed.flatMap((name) => (typeof headers[name] === 'string' ? [name, headers[name]] : [])),
  ...['host', host],
]
