/**
 * How a server before the bucket treats the `PUT` of a part, whose presigned URL is the permission: pages of every origin
 * may send it and read the response. The same for R2 is in scripts/deploy/cors.json.
 */
export const forEveryPage = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'ETag' }

export const preflight = {
  ...forEveryPage,
  'access-control-allow-methods': 'PUT',
  'access-control-allow-headers': 'content-type',
  'access-control-max-age': '86400',
}

/**
 * Only these headers are forwarded. Miniflare obeys `x-amz-copy-source`, which the signature does not cover: a caller
 * could copy any stored file whose name is known into the part. Miniflare also refuses the `Origin` of other pages.
 */
export const forwarded = ['content-length', 'content-type'] as const
