import { env, exports } from 'cloudflare:workers'
import { mediaKey, thumbnailKey } from '../../../worker/domain/media/media-keys.ts'
import { downloadCost } from '../../../worker/domain/money/prices.ts'
import { signingKey } from '../../../worker/env.ts'
import { type Account, fetchedImport } from '../account.ts'

/** The API as its users see it: requests go in by the Worker's own door. */
export const ORIGIN = 'https://haul.test'
export const FILM = 'https://media.example/film.mp4'

export interface Answered {
  status: number
  headers: Headers
  bytes: Uint8Array
  // biome-ignore lint/suspicious/noExplicitAny: tests read what the wire says and expect what it should say.
  body: any
}

/** The door's type depends on a queue handler that the generated types do not understand. */
const door: Fetcher = exports.default

interface Asked {
  key?: string | null
  /** An object is sent as JSON, a text or bytes as they stand. */
  body?: unknown
  headers?: Record<string, string>
}

export const send = (method: string, path: string, { key, body, headers = {} }: Asked = {}): Promise<Response> => {
  const all = new Headers(headers)
  if (key) all.set('authorization', `Bearer ${key}`)
  if (body !== undefined && !all.has('content-type')) all.set('content-type', 'application/json')
  const isReady = typeof body === 'string' || body instanceof Uint8Array
  const sent = body === undefined ? null : isReady ? body : JSON.stringify(body)
  return door.fetch(new Request(new URL(path, ORIGIN), { method, headers: all, body: sent, redirect: 'manual' }))
}

export const ask = async (method: string, path: string, asked: Asked = {}): Promise<Answered> => {
  const response = await send(method, path, asked)
  const bytes = new Uint8Array(await response.arrayBuffer())
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  const text = new TextDecoder().decode(bytes)
  return { status: response.status, headers: response.headers, bytes, body: isJson && text ? JSON.parse(text) : text }
}

export const asOperator = (method: string, path: string, body?: unknown): Promise<Answered> =>
  ask(method, path, { key: 'admin-token', body })

export interface Caller {
  accountId: string
  apiKey: string
  keyId: string
  account: Account
  get(path: string, headers?: Record<string, string>): Promise<Answered>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answered>
  delete(path: string): Promise<Answered>
}

/** Somebody with an account of their own, made as operators make it. */
export const newCaller = async (creditDollars = 10): Promise<Caller> => {
  const made = await asOperator('POST', '/admin/accounts', { name: 'a caller', creditDollars })
  const { accountId, apiKey, keyId } = made.body.data
  return {
    accountId,
    apiKey,
    keyId,
    account: env.ACCOUNTS.getByName(accountId),
    get: (path, headers = {}) => ask('GET', path, { key: apiKey, headers }),
    post: (path, body, headers = {}) => ask('POST', path, { key: apiKey, body, headers }),
    delete: (path) => ask('DELETE', path, { key: apiKey }),
  }
}

export const started = async (caller: Caller, changes: object = {}): Promise<string> => {
  const { status, body } = await caller.post('/import', { url: FILM, ...changes })
  if (status !== 202) throw new Error(JSON.stringify(body))
  return body.data.jobId
}

export const claimed = async ({ account }: Caller, jobId: string): Promise<{ jobId: string; lease: string }> => {
  const claim = await account.claim(jobId, 'fetch')
  if (!claim) throw new Error(`${jobId} can't be claimed`)
  return { jobId, lease: claim.lease }
}

export interface Film {
  filename?: string
  contentType?: string
  /** What storage was told. */
  storedType?: string
  bytes?: Uint8Array<ArrayBuffer>
  hasThumbnail?: boolean
}

/** Bytes that tell their own place. */
export const numbered = (length: number) => Uint8Array.from({ length }, (_, index) => index % 251)

/** What queue and container do for an import: its bytes are in storage, then its job is done. */
export const completed = async (caller: Caller, film: Film = {}): Promise<string> => {
  const { filename = 'film.mp4', contentType = 'video/mp4', bytes = numbered(1_000), hasThumbnail = true } = film
  const jobId = await started(caller)
  const lease = await claimed(caller, jobId)
  // Nobody relies on it for anything that a browser might run.
  await env.MEDIA.put(mediaKey(jobId, 1), bytes, { httpMetadata: { contentType: film.storedType ?? 'text/html' } })
  if (hasThumbnail) await env.MEDIA.put(thumbnailKey(jobId, 1), numbered(50))
  const made = fetchedImport(bytes.byteLength)
  await caller.account.complete(lease, {
    finished: {
      kind: 'import',
      result: { ...made, filename, contentType, stored: { attempt: 1, hasThumbnail }, bucket: null },
    },
    charge: downloadCost(bytes.byteLength),
    keys: [],
  })
  return jobId
}

/** A link of the service is asked at the service. */
export const path = (link: string): string => link.slice(ORIGIN.length)

export const mediaLinkKey = (): Promise<CryptoKey> => signingKey(env, 'media-links')
