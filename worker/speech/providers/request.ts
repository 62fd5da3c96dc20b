import type { z } from 'zod'
import { type Failure, failure } from '../../../domain/codes/failures.ts'
import { readText } from '../../../domain/encoding.ts'
import type { ServiceName } from '../../../domain/jobs/providers.ts'
import { retryAfterMs } from '../../../domain/retry.ts'
import { failedWith, type ProviderResult } from '../recognition.ts'
import { errorResult, parseJson } from './errors.ts'
import type { ProviderJob } from './provider.ts'

/** Four hours of words are about 10 MB of JSON; a Worker has 128 MB for everything. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024

/** The key of the caller, and when to stop. */
type Credentials = Pick<ProviderJob, 'apiKey' | 'signal'>

export interface ProviderRequest<Body> {
  service: ServiceName
  /** What precedes the key in the Authorization header: `Bearer `, `Token `, or nothing. */
  scheme: string
  method: 'GET' | 'POST' | 'DELETE'
  url: string
  contentType?: string
  body?: string | SizedStream
  schema: z.ZodType<Body>
}

export interface SizedStream {
  stream: ReadableStream<Uint8Array>
  sizeBytes: number
}

/** `result` is the failure that the caller reports. */
export type ProviderResponse<Body> = { ok: true; body: Body } | { ok: false; result: ProviderResult }

/** Sends one request. The caller's key is in the Authorization header and nowhere else. */
export const requestProvider = async <Body>(
  job: Credentials,
  request: ProviderRequest<Body>,
): Promise<ProviderResponse<Body>> => {
  // `new Headers` throws for unprintable characters, with the whole key in its message.
  if (!/^[\x21-\x7e]+$/.test(job.apiKey)) return failed(failure('PROVIDER_KEY_REJECTED'))
  const received = await send(job, request).catch(() => null)
  if (!received) return failed(failure('PROVIDER_FAILED', 'The provider could not be reached.'))
  const { response, text } = received
  if (!response.ok) {
    const error = { status: response.status, text, retryAfterSeconds: retryAfter(response.headers, Date.now()) }
    return { ok: false, result: errorResult(request.service, error, job.apiKey) }
  }
  const body = request.schema.safeParse(parseJson(text))
  return body.success
    ? { ok: true, body: body.data }
    : failed(failure('PROVIDER_FAILED', 'The provider returned an invalid response.'))
}

const failed = (reason: Failure) => ({ ok: false as const, result: failedWith(reason) })

const send = async <Body>({ apiKey, signal }: Credentials, request: ProviderRequest<Body>) => {
  const { body } = request
  const headers = new Headers({ authorization: `${request.scheme}${apiKey}`, accept: 'application/json' })
  if (request.contentType) headers.set('content-type', request.contentType)
  if (body && typeof body === 'object') headers.set('content-length', String(body.sizeBytes))
  const response = await fetch(request.url, {
    method: request.method,
    headers,
    // A redirect would send the key to another host.
    redirect: 'manual',
    signal,
    ...(body && { body: typeof body === 'string' ? body : withFixedLength(body), duplex: 'half' as const }),
  })
  const { text, isCut } = await readText(response.body, MAX_RESPONSE_BYTES)
  return { response, text: isCut ? '' : text }
}

/** workerd sends a Content-Length only for its own FixedLengthStream; Node uses the header. */
const withFixedLength = ({ stream, sizeBytes }: SizedStream): ReadableStream<Uint8Array> => {
  type Fixed = new (size: number) => TransformStream<Uint8Array, Uint8Array>
  const { FixedLengthStream } = globalThis as { FixedLengthStream?: Fixed }
  return FixedLengthStream ? stream.pipeThrough(new FixedLengthStream(sizeBytes)) : stream
}

/** OpenAI also sends the more precise `retry-after-ms`. */
export const retryAfter = (headers: Headers, now: number): number | null => {
  const preciseMs = Number(headers.get('retry-after-ms') ?? Number.NaN)
  const ms = preciseMs >= 0 ? preciseMs : retryAfterMs(headers.get('retry-after'), now)
  return ms === null ? null : Math.ceil(ms / 1000)
}
