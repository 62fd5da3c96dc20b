import { parseXml, XmlElement } from '@rgrove/parse-xml'
import { AwsClient } from 'aws4fetch'
import type { BucketSettings } from '../../../domain/bucket/storage-settings.ts'
import { readText, toHex } from '../../../domain/encoding.ts'
import { retryAfterMs } from '../../../domain/retry.ts'
import { BucketRefusal, refusalCode } from './bucket-refusal.ts'
import { type Payload, payloadOf } from './payload.ts'

export interface BucketOptions {
  fetch?: (request: Request) => Promise<Response>
  now?: () => number
  timeoutMs?: number
  /** The limit of uploading a part and of completing an upload, which may take the server minutes. */
  longTimeoutMs?: number
}

interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  url: string
  headers?: Record<string, string | undefined>
  payload?: Payload
  long?: boolean
  signal?: AbortSignal | undefined
}

/** Signs requests to one server and sends each of them once. */
export const connect = (settings: BucketSettings, options: BucketOptions = {}) => {
  const { fetch: fetchSigned = (request) => fetch(request), now = Date.now } = options
  const { timeoutMs = 30_000, longTimeoutMs = 180_000 } = options
  const { accessKeyId, secretAccessKey, region } = settings
  const aws = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3' })
  const refusal = (response: S3Response) => refusalOf(response, [secretAccessKey, accessKeyId], now())

  const sign = async ({ method, url, headers = {}, payload, long = false, signal }: S3Request): Promise<Request> => {
    const { bytes, digest } = payload ?? (await payloadOf(new Uint8Array()))
    const limit = AbortSignal.timeout(long ? longTimeoutMs : timeoutMs)
    return aws.sign(url, {
      method,
      headers: { ...withoutUndefined(headers), 'x-amz-content-sha256': toHex(digest) },
      ...(payload && { body: bytes }),
      // Not followed: the signed request must not be sent to another host.
      redirect: 'manual',
      signal: signal ? AbortSignal.any([limit, signal]) : limit,
      aws: { datetime: timestamp(now()) },
    })
  }

  const send = async (request: S3Request): Promise<S3Response> => {
    const signed = await sign(request)
    try {
      const { status, headers, body } = await fetchSigned(signed)
      return { status, headers, text: (await readText(body, MAX_TEXT_BYTES)).text }
    } catch (cause) {
      // Aborted by us, so this is not a refusal of the bucket.
      request.signal?.throwIfAborted()
      throw unreachable(cause)
    }
  }

  const sendOk = async (request: S3Request): Promise<S3Response> => {
    const response = await send(request)
    if (response.status >= 200 && response.status < 300) return response
    throw refusal(response)
  }

  return { send, sendOk, refusal }
}

/** The cause is not reported: it would disclose details of our network to callers. */
const unreachable = (cause: unknown): BucketRefusal => {
  const isTimeout = cause instanceof Error && cause.name === 'TimeoutError'
  const serverMessage = isTimeout ? 'the request timed out.' : ''
  return new BucketRefusal('STORAGE_UNREACHABLE', { status: 0, serverMessage })
}

const withoutUndefined = (headers: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined))

const timestamp = (now: number): string => new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, '')

/** Responses of S3 to these requests are a few hundred bytes of XML. */
const MAX_TEXT_BYTES = 64 * 1024
const MAX_MESSAGE_CHARACTERS = 300

export interface S3Response {
  status: number
  headers: Headers
  text: string
}

/** Strict, and ignores DTDs, so that entities cannot expand. null: not XML (a load balancer's HTML, or cut off). */
export const readXml = (text: string): XmlElement | null => {
  try {
    // CompleteMultipartUpload sends whitespace before the XML to keep the connection open.
    return parseXml(text.trim()).root
  } catch {
    return null
  }
}

export const childrenOf = (element: XmlElement | null, name: string): XmlElement[] =>
  (element?.children ?? []).filter((child): child is XmlElement => child instanceof XmlElement && child.name === name)

export const childText = (element: XmlElement | null, name: string): string | undefined =>
  childrenOf(element, name)[0]?.text.trim() || undefined

/** A server may echo credentials. Its message goes to callers and logs, so it is redacted, flattened and cut. */
const sanitize = (message: string, secrets: string[]): string => {
  let safe = message
  for (const secret of secrets) if (secret) safe = safe.replaceAll(secret, '***')
  safe = safe.replace(/[\p{Cc}\s]+/gu, ' ').trim()
  return safe.length > MAX_MESSAGE_CHARACTERS ? `${safe.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed()}…` : safe
}

const refusalOf = (response: S3Response, secrets: string[], now: number): BucketRefusal => {
  const error = readXml(response.text)
  const serverCode = childText(error, 'Code')
  const code = refusalCode(response.status, serverCode)
  const region =
    childText(error, 'Region') ?? response.headers.get('x-amz-bucket-region') ?? childText(error, 'Endpoint')
  const message = [serverCode ?? `HTTP ${response.status}`, childText(error, 'Message')].filter(Boolean).join(': ')
  const withRegion = code === 'STORAGE_REDIRECT' && region ? `${message} (the bucket is at ${region})` : message
  return new BucketRefusal(code, {
    status: response.status,
    serverMessage: sanitize(withRegion, secrets),
    retryAfterMs: retryAfterMs(response.headers.get('retry-after'), now),
  })
}
