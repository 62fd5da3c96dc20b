import type { z } from 'zod'
import type { Answer } from '../recognition.ts'
import { failureOf, keyUnusable, unreachable, unreadable } from './errors.ts'
import type { ProviderName } from './provider.ts'

/** Four hours of words are about 10 MB of JSON; a Worker has 128 MB for everything. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024

/** Two seconds as the header says, or a date. */
const SECOND = 1000

export interface Call<Body> {
  provider: ProviderName
  apiKey: string
  /** The scheme word before the key: `Bearer `, `Token `, or nothing. */
  scheme: string
  method: 'GET' | 'POST' | 'DELETE'
  url: string
  contentType?: string
  body?: string | SizedStream
  answer: z.ZodType<Body>
  signal: AbortSignal
}

export interface SizedStream {
  stream: ReadableStream<Uint8Array>
  sizeBytes: number
}

export type Reply<Body> = { ok: true; body: Body } | { ok: false; answer: Answer }

/** One request to a provider, with the caller's key in one header and nowhere else. */
export const exchange = async <Body>(call: Call<Body>): Promise<Reply<Body>> => {
  // An unprintable key would be thrown back at us by `new Headers`, in full, inside an error's message.
  if (!/^[\x21-\x7e]+$/.test(call.apiKey)) return not(keyUnusable())
  let heard: Heard
  try {
    heard = await send(call)
  } catch {
    return not(unreachable())
  }
  if (!heard.response.ok) {
    const { status, headers } = heard.response
    const complaint = { status, text: heard.text ?? '', retryAfterSeconds: retryAfter(headers, Date.now()) }
    return not(failureOf(call.provider, complaint, call.apiKey))
  }
  const body = call.answer.safeParse(parsed(heard.text))
  return body.success ? { ok: true, body: body.data } : not(unreadable())
}

const not = (answer: Answer): { ok: false; answer: Answer } => ({ ok: false, answer })

interface Heard {
  response: Response
  /** null: longer than anyone needs. */
  text: string | null
}

const send = async <Body>(call: Call<Body>): Promise<Heard> => {
  const { body } = call
  const headers = new Headers({ authorization: `${call.scheme}${call.apiKey}`, accept: 'application/json' })
  if (call.contentType) headers.set('content-type', call.contentType)
  if (body && typeof body === 'object') headers.set('content-length', String(body.sizeBytes))
  const response = await fetch(call.url, {
    method: call.method,
    headers,
    // A redirect would carry the key to whoever is named in it.
    redirect: 'manual',
    signal: call.signal,
    ...(body === undefined ? {} : typeof body === 'string' ? { body } : { body: sized(body), duplex: 'half' as const }),
  })
  return { response, text: await readText(response) }
}

/** workerd sends a Content-Length only for its own fixed-length streams; Node goes by the header. */
const sized = ({ stream, sizeBytes }: SizedStream): ReadableStream<Uint8Array> => {
  const { FixedLengthStream } = globalThis as { FixedLengthStream?: new (size: number) => SizedPair }
  return FixedLengthStream ? stream.pipeThrough(new FixedLengthStream(sizeBytes)) : stream
}

interface SizedPair {
  readable: ReadableStream<Uint8Array>
  writable: WritableStream<Uint8Array>
}

const readText = async (response: Response): Promise<string | null> => {
  if (!response.body) return ''
  const decoder = new TextDecoder()
  let text = ''
  let sizeBytes = 0
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    sizeBytes += chunk.byteLength
    if (sizeBytes > MAX_ANSWER_BYTES) return null
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

const parsed = (text: string | null): unknown => {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}

/** RFC 9110: seconds, or a date. OpenAI is finer with `retry-after-ms`. */
export const retryAfter = (headers: Headers, now: number): number | null => {
  const ms = Number(headers.get('retry-after-ms') ?? Number.NaN)
  if (ms >= 0) return Math.ceil(ms / SECOND)
  const said = headers.get('retry-after')
  if (said === null) return null
  const wait = /^\d+$/.test(said.trim()) ? Number(said) : Math.ceil((Date.parse(said) - now) / SECOND)
  return Number.isFinite(wait) ? Math.max(0, wait) : null
}
