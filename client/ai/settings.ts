import { LoadAPIKeyError, LoadSettingError } from '@ai-sdk/provider'
import { environment } from '../src/http/connection.ts'
import type { HaulOptions } from '../src/index.ts'

/** Read with each call, because `haul` exists before a program has set its environment. */
export const loadSettings = (
  options: HaulOptions,
  headers: Record<string, string | undefined> = {},
): HaulOptions & { baseUrl: string } => {
  const { HAUL_API_KEY, HAUL_URL } = environment() ?? {}
  const { apiKey = HAUL_API_KEY, baseUrl = HAUL_URL, fetch = globalThis.fetch } = options
  if (!apiKey) {
    throw new LoadAPIKeyError({ message: 'apiKey is missing: createHaul({ apiKey }), or the variable HAUL_API_KEY.' })
  }
  if (!baseUrl) {
    throw new LoadSettingError({ message: 'baseUrl is missing: createHaul({ baseUrl }), or the variable HAUL_URL.' })
  }
  return { ...options, apiKey, baseUrl, fetch: withHeaders(fetch, headers) }
}

/** The headers of the caller go to the service. The storage takes the parts of an upload with those that it has signed. */
const withHeaders =
  (fetch: typeof globalThis.fetch, headers: Record<string, string | undefined>): typeof globalThis.fetch =>
  (input, init) => {
    const own = new Headers(init?.headers)
    if (!own.has('authorization')) return fetch(input, init)
    for (const [name, value] of Object.entries(headers)) if (value !== undefined && !own.has(name)) own.set(name, value)
    return fetch(input, { ...init, headers: own })
  }
