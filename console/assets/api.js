/** An error response of the API. */
export class Refused extends Error {
  /**
   * @param {{error?: string, code?: string, requestId?: string, retryAfter?: number, keyScopes?: string,
   *   details?: {path: string, message: string}[]}} body
   * @param {number} status
   */
  constructor(body, status) {
    super(body.error ?? `The server responded with status ${status}.`)
    this.code = body.code ?? ''
    this.requestId = body.requestId ?? ''
    this.retryAfter = body.retryAfter ?? null
    this.status = status
    /** What is wrong with which field. The message names the first one. */
    this.details = body.details ?? []
    /** What the key may do, if it may not do this. */
    this.keyScopes = body.keyScopes?.split(', ') ?? null
  }
}

const unreachable = { error: 'The server does not respond. Check the connection and try again.', code: '' }

/** The service sends a comment every 15 seconds, so a stream that is silent for longer is dead. As in client/src. */
const SILENCE_MS = 45_000

/**
 * The API with one key. The key is sent to this origin only.
 * @param {string} key
 * @param {{onResponse: (path: string, headers: Headers) => void, onUnauthorized: (error: Refused) => void}} handlers
 */
export const createApi = (key, { onResponse, onUnauthorized }) => {
  /** @param {string} path @param {RequestInit} [init] */
  const send = async (path, init = {}) => {
    const headers = { authorization: `Bearer ${key}`, ...init.headers }
    const response = await fetch(path, { ...init, headers, cache: 'no-store' }).catch((cause) => {
      if (init.signal?.aborted) throw cause
      throw new Refused(unreachable, 0)
    })
    onResponse(path, response.headers)
    if (response.ok) return response
    const refused = new Refused(await response.json().catch(() => ({})), response.status)
    if (response.status === 401) onUnauthorized(refused)
    throw refused
  }
  /** @param {Response} response */
  const dataOf = async (response) => (response.status === 204 ? null : (await response.json()).data)
  /** @param {string} method @param {string} path @param {object} body @param {Record<string, string>} [others] */
  const sendJson = async (method, path, body, others) => {
    const headers = { 'content-type': 'application/json', ...others }
    return dataOf(await send(path, { method, headers, body: JSON.stringify(body) }))
  }

  return {
    /** Which key this is, without giving it away. @param {string} prefix */
    keyBeginsWith: (prefix) => key.startsWith(prefix),
    /** @param {string} path @param {AbortSignal} [signal] */
    get: async (path, signal) =>
      dataOf(await send(path, { headers: { accept: 'application/json' }, signal: signal ?? null })),
    /** @param {string} path @param {object} body @param {string} [key] */
    post: (path, body, key = randomKey()) => sendJson('POST', path, body, { 'idempotency-key': key }),
    /** @param {string} path @param {object} body */
    patch: (path, body) => sendJson('PATCH', path, body),
    /** @param {string} path */
    remove: async (path) => dataOf(await send(path, { method: 'DELETE' })),
    /** @param {string} path @param {AbortSignal} signal */
    text: async (path, signal) => (await send(path, { signal })).text(),
    /** @param {string} path */
    file: async (path) => (await send(path)).blob(),
    /**
     * Server-sent events. EventSource can't send a key. Comments are left out.
     * @param {string} path
     * @param {AbortSignal} signal
     * @param {string} [lastEventId]
     */
    events: async function* (path, signal, lastEventId) {
      const silence = new AbortController()
      const headers = lastEventId ? { 'last-event-id': lastEventId } : {}
      const response = await send(path, { headers, signal: AbortSignal.any([signal, silence.signal]) })
      if (!response.body) return
      // Not `for await`: Safari 18 cannot iterate streams.
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
      let rest = ''
      for (;;) {
        const timer = setTimeout(() => silence.abort(), SILENCE_MS)
        const { done, value } = await reader.read().finally(() => clearTimeout(timer))
        if (done) return
        const events = (rest + value).split('\n\n')
        rest = events.pop() ?? ''
        for (const event of events) {
          const [id, data] = [fieldIn(event, 'id'), fieldIn(event, 'data')]
          if (id || data) yield { id, data }
        }
      }
    },
  }
}

/** @typedef {ReturnType<typeof createApi>} Client */

/** Not crypto.randomUUID(), which exists only on https pages. */
export const randomKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(36)).join('-')

/** @param {string} event @param {string} name */
const fieldIn = (event, name) =>
  event
    .split('\n')
    .filter((line) => line.startsWith(`${name}:`))
    .map((line) => line.slice(name.length + 1).trim())
    .join('\n')
