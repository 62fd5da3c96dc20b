import { createHash } from 'node:crypto'
import type { ImportRequest, TranscribeRequest } from './job.ts'

const KEY_BYTES = 16

/** Requests with the same key ask for the same result. Where its end is reported does not matter. */
export const reuseKeyOf = ({ webhookUrl: _, ...request }: ImportRequest | TranscribeRequest): string => {
  const url = request.url === null ? null : urlWithoutFragment(request.url)
  const providerOptions = 'providerOptions' in request ? JSON.parse(request.providerOptions ?? 'null') : null
  const text = JSON.stringify(withSortedKeys({ ...request, url, providerOptions }))
  return createHash('sha256').update(text).digest().subarray(0, KEY_BYTES).toString('base64url')
}

/** A fragment is never sent to the source. */
const urlWithoutFragment = (text: string): string => {
  const url = new URL(text)
  url.hash = ''
  return url.href
}

const withSortedKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withSortedKeys)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([name, inner]) => [name, withSortedKeys(inner)]))
}
