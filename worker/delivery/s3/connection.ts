import { AwsClient } from 'aws4fetch'
import type { BucketSettings } from '../../domain/storage/settings.ts'
import { type Answer, readAnswer, refusalOf } from './answer.ts'
import { hex, type Payload, payloadOf } from './payload.ts'
import { BucketRefusal } from './refusal.ts'

export interface BucketOptions {
  fetch?: (request: Request) => Promise<Response>
  now?: () => number
  timeoutMs?: number
  /** For one part, and for the server's putting together of all of them, which may take minutes. */
  longTimeoutMs?: number
}

export interface Call {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  url: string
  headers?: Record<string, string | undefined>
  payload?: Payload
  long?: boolean
  signal?: AbortSignal | undefined
}

export interface Connection {
  /** Any answer at all. Throws a `BucketRefusal` when there is none. */
  call(request: Call): Promise<Answer>
  /** An answer of 2xx. Throws a `BucketRefusal` for any other. */
  ask(request: Call): Promise<Answer>
  refusal(answer: Answer): BucketRefusal
}

/** Signed requests to one server, each tried once. */
export const connect = (settings: BucketSettings, options: BucketOptions = {}): Connection => {
  const { fetch: send = (request) => fetch(request), now = Date.now } = options
  const { timeoutMs = 30_000, longTimeoutMs = 180_000 } = options
  const { accessKeyId, secretAccessKey, region } = settings
  const aws = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3' })
  const refusal = (answer: Answer) => refusalOf(answer, [secretAccessKey, accessKeyId], now())

  const sign = async ({ method, url, headers = {}, payload, long = false, signal }: Call): Promise<Request> => {
    const { bytes, digest } = payload ?? (await payloadOf(new Uint8Array()))
    const limit = AbortSignal.timeout(long ? longTimeoutMs : timeoutMs)
    return aws.sign(url, {
      method,
      headers: { ...present(headers), 'x-amz-content-sha256': hex(digest) },
      ...(payload && { body: bytes }),
      // Never followed: the next host would get a signed request that was not meant for it.
      redirect: 'manual',
      signal: signal ? AbortSignal.any([limit, signal]) : limit,
      aws: { datetime: timestamp(now()) },
    })
  }

  const call: Connection['call'] = async (request) => {
    const signed = await sign(request)
    try {
      return await readAnswer(await send(signed))
    } catch (cause) {
      // Taken back by us: no fault of the bucket's.
      request.signal?.throwIfAborted()
      throw unreachable(cause)
    }
  }

  const ask: Connection['ask'] = async (request) => {
    const answer = await call(request)
    if (answer.status >= 200 && answer.status < 300) return answer
    throw refusal(answer)
  }

  return { call, ask, refusal }
}

/** Which of many reasons a connection failed for would tell strangers about the network we stand in. */
const unreachable = (cause: unknown): BucketRefusal => {
  const late = cause instanceof Error && cause.name === 'TimeoutError'
  return new BucketRefusal('STORAGE_UNREACHABLE', { status: 0, words: late ? 'it took too long.' : '' })
}

const present = (headers: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined))

const timestamp = (now: number): string => new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, '')
