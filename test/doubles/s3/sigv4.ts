import { createHmac, timingSafeEqual } from 'node:crypto'
import { sha256 } from '../../support/sha256.ts'

/**
 * A verifier for AWS Signature Version 4, written from Amazon's specification and checked with its published
 * examples. It is stricter than servers: the path and the query must be sent exactly as they were signed, and every
 * `x-amz-` header must be signed.
 *
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export interface WireRequest {
  method: string
  /** Path and query, byte for byte. */
  target: string
  /** Names in lower case. */
  headers: Record<string, string>
  body: Uint8Array
}

export interface Scope {
  date: string
  region: string
  service: string
}

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

const UNRESERVED = /[A-Za-z0-9\-._~]/

export const uriEncode = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => {
    const character = String.fromCharCode(byte)
    return UNRESERVED.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }).join('')

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const canonicalQuery = (query: string): string =>
  query
    .split('&')
    .filter(Boolean)
    .map((pair) => {
      const [name = '', ...value] = pair.split('=')
      return [uriEncode(decodeURIComponent(name)), uriEncode(decodeURIComponent(value.join('=')))] as const
    })
    .sort(([a, x], [b, y]) => compare(a, b) || compare(x, y))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')

const canonicalPath = (path: string): string =>
  path
    .split('/')
    .map((segment) => uriEncode(decodeURIComponent(segment)))
    .join('/')

const splitTarget = (target: string): [path: string, query: string] => {
  const at = target.indexOf('?')
  return at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)]
}

export const canonicalRequest = (request: WireRequest, signedHeaders: string[], payloadHash: string): string => {
  const [path, query] = splitTarget(request.target)
  const headers = signedHeaders.map((name) => `${name}:${(request.headers[name] ?? '').trim().replace(/ +/g, ' ')}\n`)
  return [
    request.method,
    canonicalPath(path),
    canonicalQuery(query),
    headers.join(''),
    signedHeaders.join(';'),
    payloadHash,
  ].join('\n')
}

export const signatureOf = (canonical: string, secretAccessKey: string, dateTime: string, scope: Scope): string => {
  const { date, region, service } = scope
  const text = ['AWS4-HMAC-SHA256', dateTime, `${date}/${region}/${service}/aws4_request`, sha256(canonical)].join('\n')
  const key = [date, region, service, 'aws4_request'].reduce(
    (previous: string | Buffer, next) => hmac(previous, next),
    `AWS4${secretAccessKey}`,
  )
  return hmac(key, text).toString('hex')
}

export interface Credentials {
  accessKeyId: string
  secretAccessKey: string
  region: string
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/,]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/
const MAX_SKEW_MS = 15 * 60_000

/** Why a request to S3 is not correctly signed, or null. */
export const sigV4Problem = (request: WireRequest, credentials: Credentials, now: number): string | null => {
  const { headers } = request
  const parts = AUTHORIZATION.exec(headers.authorization ?? '')
  if (!parts) return 'the Authorization header is malformed'
  const [, accessKeyId = '', date = '', region = '', signed = '', signature = ''] = parts
  if (accessKeyId !== credentials.accessKeyId) return 'the access key is wrong'
  if (region !== credentials.region) return 'the region is wrong'

  const dateTime = headers['x-amz-date'] ?? ''
  if (!dateTime.startsWith(date) || Math.abs(parseTime(dateTime) - now) > MAX_SKEW_MS) return 'the time is wrong'

  const signedHeaders = signed.split(';')
  if (signedHeaders.join(';') !== signedHeaders.toSorted().join(';')) return 'the signed headers are not sorted'
  const required = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))]
  const missing = required.find((name) => !signedHeaders.includes(name))
  if (missing) return `${missing} is not signed`

  const payloadHash = headers['x-amz-content-sha256'] ?? ''
  if (payloadHash !== sha256(request.body)) return 'the payload hash does not match'
  const [path] = splitTarget(request.target)
  if (path !== canonicalPath(path)) return `the path ${path} is not in canonical form`

  const scope = { date, region, service: 's3' }
  const expected = signatureOf(
    canonicalRequest(request, signedHeaders, payloadHash),
    credentials.secretAccessKey,
    dateTime,
    scope,
  )
  return timingSafeEqual(Buffer.from(signature), Buffer.from(expected)) ? null : 'the signature does not match'
}

const parseTime = (dateTime: string): number =>
  Date.parse(dateTime.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
