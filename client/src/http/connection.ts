import { HaulApiError, HaulConnectionError, HaulError, type Refusal } from '../errors.ts'
import type { CallOptions, HaulOptions, ListOptions, RequestQuery } from '../options.ts'
import { type Call, limitedSignal, withinCall } from './call.ts'
import { type RetryPolicy, withRetries } from './retry.ts'

export interface RequestToSend {
  method?: string | undefined
  /** Starts with a slash. */
  path: string
  query?: RequestQuery | undefined
  headers?: Record<string, string>
  body?: unknown
  idempotencyKey?: string | undefined
  /** Whether the request may be repeated if its response is lost. Default: all but a POST without a key. */
  isRepeatable?: boolean
  /** How long a request that was sent goes on after the call was aborted. */
  graceMs?: number | undefined
}

/** An id is one segment of a path, whatever characters it has. */
export const pathOf = (collection: 'jobs' | 'batches' | 'watches' | 'uploads' | 'keys', id: string): string =>
  `/${collection}/${encodeURIComponent(id)}`

/** `crypto.randomUUID` is missing in pages that were not loaded with https. */
export const randomKey = (): string => crypto.getRandomValues(new Uint8Array(16)).join('-')

/** A start may be repeated: the service repeats its response to a known Idempotency-Key. */
export const startRequest = (path: string, body: object | undefined, idempotencyKey = randomKey()): RequestToSend => ({
  method: 'POST',
  path,
  body,
  idempotencyKey,
})

/** The largest page that the service returns of most lists. */
const MAX_PAGE = 100
const MAX_RETRIES = 5
const MAX_BUSY_MS = 600_000
/** No response takes longer: the longest are long polls of 30 s, and the check of an upload. */
const ATTEMPT_MS = 60_000

/** The requests of a client: address, key, envelope, errors and retries. */
export class Connection {
  readonly fetch: typeof fetch
  readonly retryPolicy: RetryPolicy
  readonly #options: HaulOptions

  constructor(options: HaulOptions) {
    this.#options = options
    // Some runtimes refuse a fetch that is called as a method of another object.
    this.fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init))
    this.retryPolicy = { maxRetries: options.maxRetries ?? MAX_RETRIES, maxBusyMs: options.maxBusyMs ?? MAX_BUSY_MS }
  }

  call<Data>(options: CallOptions, request: RequestToSend): Promise<Data> {
    return withinCall(options, (call) => this.json<Data>(call, request))
  }

  /** The `data` of the response, which 204 does not have. */
  json<Data>(call: Call, request: RequestToSend): Promise<Data> {
    return this.#send(call, request, async (response) => {
      if (response.status === 204) return undefined as Data
      const body = await bodyOf(response)
      if (body?.success !== true) throw new HaulError('The response does not come from Haul. Check baseUrl.')
      return body.data as Data
    })
  }

  text(call: Call, request: RequestToSend): Promise<string> {
    return this.#send(call, request, (response) => response.text())
  }

  #send<Result>(
    { signal }: Call,
    request: RequestToSend,
    read: (response: Response) => Promise<Result>,
  ): Promise<Result> {
    const { method = 'GET', idempotencyKey, graceMs } = request
    const { isRepeatable = method !== 'POST' || idempotencyKey !== undefined } = request
    return withRetries(this.retryPolicy, { signal, isRepeatable }, () =>
      withinAttempt({ signal, graceMs, limitMs: ATTEMPT_MS, peer: 'service' }, async (attempt) =>
        read(await this.fetchOnce(request, attempt)),
      ),
    )
  }

  /** One attempt. Rejects with a HaulApiError unless the status is 2xx. */
  async fetchOnce(request: RequestToSend, signal: AbortSignal): Promise<Response> {
    const { method = 'GET', path, query = {}, body, idempotencyKey } = request
    const url = new URL(`${this.#setting('baseUrl', 'HAUL_URL').replace(/\/+$/, '')}${path}`)
    for (const [name, value] of Object.entries(query)) {
      if (typeof value === 'object')
        for (const [key, text] of Object.entries(value)) url.searchParams.set(`${name}.${key}`, text)
      else if (value !== undefined) url.searchParams.set(name, `${value}`)
    }
    const headers: Record<string, string> = {
      Authorization: `Bearer ${this.#setting('apiKey', 'HAUL_API_KEY')}`,
      ...request.headers,
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    }
    const init = { method, headers, signal, body: JSON.stringify(body) }
    const response = await this.fetch(url.href, init).catch((cause) => {
      throw asHaulError(cause, signal, url.origin)
    })
    if (!response.ok) throw new HaulApiError(response.status, await refusalIn(response))
    return response
  }

  /** Read when it is needed, because `webhooks.verify` needs neither. */
  #setting(option: 'apiKey' | 'baseUrl', variable: string): string {
    const value = this.#options[option] ?? environment()?.[variable]
    if (!value) throw new TypeError(`${option} is missing: new Haul({ ${option} }), or the variable ${variable}.`)
    return value
  }
}

type Page<Entry> = Record<string, Entry[]> & { nextCursor: string | null }

/**
 * Reads page by page, each one when its entries are needed. `timeoutMs` applies to each page. `name`: the property of the
 * response that holds the entries.
 */
export async function* entriesOf<Entry>(
  connection: Connection,
  path: string,
  name: string,
  { signal, timeoutMs, limit = Number.POSITIVE_INFINITY, ...filter }: ListOptions,
  maxPage = MAX_PAGE,
): AsyncGenerator<Entry, void, undefined> {
  let cursor: string | undefined
  let left = limit
  while (left > 0) {
    const query = { ...(filter as RequestQuery), cursor, limit: Math.min(left, maxPage) }
    const page: Page<Entry> = await connection.call({ signal, timeoutMs }, { path, query })
    const found = page[name] ?? []
    yield* found
    left -= found.length
    if (page.nextCursor === null) return
    cursor = page.nextCursor
  }
}

/** What the groups of methods have in common, such as `haul.jobs`. */
export abstract class Group {
  protected readonly connection: Connection

  constructor(connection: Connection) {
    this.connection = connection
  }
}

/** Node, Bun, Deno, and Workers with `nodejs_compat`. */
export const environment = (): Record<string, string | undefined> | undefined =>
  (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env

/** Every error that is not a HaulError is a connection fault, and so is the time limit of an attempt. */
export const asHaulError = (cause: unknown, signal: AbortSignal, origin = 'the service'): HaulError => {
  if (cause instanceof HaulError) return cause
  if (signal.reason instanceof HaulConnectionError) return signal.reason
  return new HaulConnectionError(`The connection to ${origin} failed: ${messageOf(cause)}`, { cause })
}

interface Attempt {
  signal: AbortSignal
  limitMs: number
  graceMs?: number | undefined
  peer: 'service' | 'storage'
}

/** One attempt of a request. Whatever breaks it rejects as a HaulError. */
export const withinAttempt = async <Result>(
  { signal: parent, limitMs, graceMs, peer }: Attempt,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  const reason = () => new HaulConnectionError(`The ${peer} did not respond in time.`)
  const { signal, release } = limitedSignal({ parent, graceMs, limitMs, reason })
  try {
    return await run(signal)
  } catch (cause) {
    throw asHaulError(cause, signal, `the ${peer}`)
  } finally {
    release()
  }
}

/** `fetch` says only that it failed, and the reason is in `cause`. */
const messageOf = (error: unknown): string => {
  const { message, cause, code } = Object(error)
  if (cause instanceof Error) return messageOf(cause)
  return `${message || code || error}`
}

/** Proxies in front of the service respond with pages of their own. */
const refusalIn = async (response: Response): Promise<Refusal> => {
  const { status, headers } = response
  const body = await bodyOf(response)
  const known: Refusal =
    typeof body?.error === 'string' && typeof body.code === 'string'
      ? { ...(body as Refusal), requestId: headers.get('x-request-id') }
      : { error: `The service responded with status ${status}.`, code: 'UNKNOWN', requestId: null }
  // Seconds. Haul never sends a date.
  const retryAfter = Number.parseInt(headers.get('retry-after') ?? '', 10)
  return Number.isNaN(retryAfter) ? known : { retryAfter, ...known }
}

/** null: it is not JSON. */
const bodyOf = async (response: Response): Promise<Record<string, unknown> | null> => {
  const text = await response.text()
  try {
    return Object(JSON.parse(text))
  } catch {
    return null
  }
}
