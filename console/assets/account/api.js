import { Connection, Haul, HaulApiError, HaulConnectionError } from '../haul-client.js'

/** @typedef {{onResponse: (path: string, headers: Headers) => void, onUnauthorized: (error: HaulApiError) => void}} ApiHandlers */

/** The API with one key, without retries: a person is waiting, so errors are shown at once. The key is sent to this origin only. */
export class Api extends Haul {
  /** For background requests, which are retried until they succeed. @readonly */
  following
  /** @readonly */
  options
  /** @param {string} apiKey @param {ApiHandlers} handlers */
  constructor(apiKey, handlers) {
    const options = { apiKey, baseUrl: location.origin, fetch: fetchWith(handlers) }
    super({ ...options, maxRetries: 0, maxBusyMs: 0 })
    this.options = options
    this.following = new Connection({ ...options, maxRetries: Infinity, maxBusyMs: Infinity })
  }
}

/** @param {ApiHandlers} handlers @returns {typeof fetch} */
const fetchWith =
  ({ onResponse, onUnauthorized }) =>
  async (url, init) => {
    const headers = { Accept: 'application/json', ...init?.headers }
    const response = await fetch(url, { ...init, headers, cache: 'no-store' }).catch((cause) => {
      if (init?.signal?.aborted) throw cause
      throw new HaulConnectionError('The server does not respond. Check the connection and try again.', { cause })
    })
    onResponse(new URL(`${url}`).pathname, response.headers)
    if (response.status === 401) {
      const none = { error: 'The server does not accept the key.', code: '' }
      const body = response.clone().json()
      onUnauthorized(new HaulApiError(401, await body.catch(() => none)))
    }
    return response
  }
