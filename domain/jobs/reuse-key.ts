import { isOfOneJob } from '../bucket/storage-key.ts'
import { sha256Hex } from '../secrets/api-keys.ts'
import { type ImportRequest, storageOf, type TranscribeRequest } from './job.ts'

/** 128 bits. */
const KEY_CHARACTERS = 32

/** Requests with the same key ask for the same result. Where its end is reported does not matter, nor how large it may be. */
export const reuseKeyOf = async (given: ImportRequest | TranscribeRequest): Promise<string> => {
  const { webhookUrl: _, ...request } = 'language' in given ? given : withoutLimits(given)
  const url = request.url === null ? null : urlWithoutFragment(request.url)
  // A clip without a start has the start of the media.
  const clip = request.clip && { ...request.clip, startSeconds: request.clip.startSeconds ?? 0 }
  const providerOptions = 'providerOptions' in request ? JSON.parse(request.providerOptions ?? 'null') : null
  const hash = await sha256Hex(JSON.stringify(withSortedKeys({ ...request, url, clip, providerOptions })))
  return hash.slice(0, KEY_CHARACTERS)
}

/** false: its file has a key that only this job can have. */
export const mayBeReused = (request: ImportRequest | TranscribeRequest): boolean =>
  !isOfOneJob(storageOf({ request })?.storageKey ?? '')

const withoutLimits = ({ maxCostMicros: _, maxBytes: __, ...request }: ImportRequest) => request

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
