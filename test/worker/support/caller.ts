import { env, exports } from 'cloudflare:workers'
import { mediaKey, thumbnailKey } from '../../../domain/media/media-keys.ts'
import { zero } from '../../../domain/money/money.ts'
import { signingKey } from '../../../worker/env.ts'
import { namesOf } from '../../../worker/media/object-secret.ts'
import { type Account, advanced, fetchedFile, fetchedImport, leased } from './account.ts'

export const ORIGIN = 'https://haul.test'
export const FILM = 'https://media.example/film.mp4'

export interface ApiResponse {
  status: number
  headers: Headers
  bytes: Uint8Array
  // biome-ignore lint/suspicious/noExplicitAny: tests assert the shape of the JSON themselves.
  body: any
}

/** Annotated, because the generated type cannot express the queue handler of the default export. */
const worker: Fetcher = exports.default

interface RequestOptions {
  key?: string | null
  /** An object is sent as JSON; strings, bytes and streams are sent unchanged. */
  body?: unknown
  headers?: Record<string, string>
}

export const send = (
  method: string,
  path: string,
  { key, body, headers = {} }: RequestOptions = {},
): Promise<Response> => {
  const all = new Headers(headers)
  if (key) all.set('authorization', `Bearer ${key}`)
  if (body !== undefined && !all.has('content-type')) all.set('content-type', 'application/json')
  const isRaw = typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream
  const sent = body === undefined ? null : isRaw ? body : JSON.stringify(body)
  return worker.fetch(new Request(new URL(path, ORIGIN), { method, headers: all, body: sent, redirect: 'manual' }))
}

export const callApi = async (method: string, path: string, options: RequestOptions = {}): Promise<ApiResponse> => {
  const response = await send(method, path, options)
  const type = response.headers.get('content-type')
  // A stream of events may have no end. Tests that read it use `send`.
  const isStream = type === 'text/event-stream'
  if (isStream) await response.body?.cancel()
  const bytes = isStream ? new Uint8Array() : new Uint8Array(await response.arrayBuffer())
  const isJson = type?.startsWith('application/json')
  const text = new TextDecoder().decode(bytes)
  return { status: response.status, headers: response.headers, bytes, body: isJson && text ? JSON.parse(text) : text }
}

export const asOperator = (method: string, path: string, body?: unknown): Promise<ApiResponse> =>
  callApi(method, path, { key: 'admin-token', body })

export interface Caller {
  accountId: string
  apiKey: string
  keyId: string
  account: Account
  get(path: string, headers?: Record<string, string>): Promise<ApiResponse>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<ApiResponse>
  delete(path: string): Promise<ApiResponse>
}

/** A caller with a new account. */
export const newCaller = async (creditDollars = 10): Promise<Caller> => {
  const created = await asOperator('POST', '/admin/accounts', { name: 'a caller', creditDollars })
  const { accountId, apiKey, keyId } = created.body.data
  return {
    accountId,
    apiKey,
    keyId,
    account: env.ACCOUNTS.getByName(accountId),
    get: (path, headers = {}) => callApi('GET', path, { key: apiKey, headers }),
    post: (path, body, headers = {}) => callApi('POST', path, { key: apiKey, body, headers }),
    delete: (path) => callApi('DELETE', path, { key: apiKey }),
  }
}

export const started = async (caller: Caller, changes: object = {}): Promise<string> => {
  const { status, body } = await caller.post('/import', { url: FILM, ...changes })
  if (status !== 202) throw new Error(JSON.stringify(body))
  return body.data.jobId
}

export const claimed = ({ account }: Caller, jobId: string) => leased(account, jobId)

/** Claims an import and finishes its fetch step, as for a request with `store`. */
export const fetched = async ({ account }: Caller, jobId: string): Promise<void> => {
  const lease = await leased(account, jobId)
  await advanced(account, lease, { next: 'deliver', carry: fetchedImport(1_000), holdMicros: zero, keys: [] })
}

export interface Film {
  filename?: string
  contentType?: string
  /** The content type of the R2 object. */
  storedType?: string
  bytes?: Uint8Array<ArrayBuffer>
  hasThumbnail?: boolean
  /** More fields of the request. */
  request?: object
}

/** Bytes whose values follow from their positions. */
export const numbered = (length: number) => Uint8Array.from({ length }, (_, index) => index % 251)

/** What the objects of an attempt at a job, or of an upload, are named after. */
export const namesIn = (id: string, attempt = 1) => namesOf(env, { jobId: id, attempt })

/** Stores the bytes of an import and completes it, as the queue and the container do. */
export const completed = async (caller: Caller, film: Film = {}): Promise<string> => {
  const { filename = 'film.mp4', contentType = 'video/mp4', bytes = numbered(1_000), hasThumbnail = true } = film
  const storageFilename = filename.slice(0, filename.lastIndexOf('.'))
  const jobId = await started(caller, { ...(film.filename && { storageFilename }), ...film.request })
  const lease = await claimed(caller, jobId)
  const names = await namesIn(jobId)
  // The stored type must not affect what browsers get, so the default is one that would run as a page.
  await env.MEDIA.put(mediaKey(jobId, names), bytes, { httpMetadata: { contentType: film.storedType ?? 'text/html' } })
  if (hasThumbnail) await env.MEDIA.put(thumbnailKey(jobId, names), numbered(50))
  const stored = { ...names, hasThumbnail }
  const media = { ...fetchedImport(bytes.byteLength), filename, contentType, stored }
  await caller.account.finishFetch(lease, fetchedFile(media))
  return jobId
}

/** The path and query of a link of this service, for callApi. */
export const path = (link: string): string => link.slice(ORIGIN.length)

export const mediaLinkKey = (): Promise<CryptoKey> => signingKey(env, 'media-links')
