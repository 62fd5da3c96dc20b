import { type Document, resolved, type Schema } from './document.ts'

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json }

/** What must be in a body; when nothing must, nothing is. */
export const requestSample = (schema: Schema, document: Document): Json => {
  const { properties = {}, required = [] } = resolved(schema, document)
  return Object.fromEntries(required.map((name) => [name, sampleOf(name, properties[name] ?? {}, document)]))
}

/** A value that looks like a real one: by its name where that says what it is, else by its type. */
export const sampleOf = (name: string, schema: Schema, document: Document): Json => {
  const full = resolved(schema, document)
  const variants = full.oneOf ?? full.anyOf
  if (full.example !== undefined) return full.example as Json
  if (Object.hasOwn(samples, name)) return samples[name] as Json
  if (variants?.[0]) return sampleOf(name, variants[0], document)
  if (full.const !== undefined) return full.const as Json
  if (full.enum) return (full.enum.includes('completed') ? 'completed' : full.enum[0]) as Json
  if (full.items) return [sampleOf(name, full.items, document)]
  if (full.properties) return objectSample(full, document)
  return plainSample(name, full)
}

/** What is not always there belongs to other cases than the usual one, unless it is the point of the answer. */
const objectSample = ({ properties = {}, required = [] }: Schema, document: Document): Json =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => required.includes(name) || name === 'result')
      .map(([name, property]) => [name, sampleOf(name, property, document)]),
  )

const plainSample = (name: string, { type, format }: Schema): Json => {
  const [plain] = [type ?? 'object'].flat()
  if (plain === 'string') return format === 'date-time' ? TIME : `<${name || 'text'}>`
  if (plain === 'boolean') return true
  if (plain === 'number' || plain === 'integer') return 1
  return {}
}

const TIME = '2026-11-21T09:00:00.000Z'

const samples: Record<string, Json> = {
  accountId: 'acct_…',
  apiKey: 'haul_…',
  audioCodec: 'aac',
  availableDollars: 9.85,
  balanceDollars: 10,
  bitrate: 1_934_000,
  completedAt: '2026-11-21T09:00:04.120Z',
  container: 'mp4',
  contentType: 'video/mp4',
  costInDollars: 0.153421,
  createdAt: '2026-11-21T08:59:59.880Z',
  downloadedBytes: 15_342_100,
  duration: 63.4,
  end: 3.2,
  endSeconds: 20,
  expiresAt: '2026-11-28T09:00:04.120Z',
  failedDeliveries: 0,
  filename: 'A talk.mp4',
  fileSizeBytes: 15_342_100,
  heldDollars: 0.15,
  height: 1080,
  isLive: false,
  jobId: 'imp_…',
  keyId: 'key_…',
  language: 'en',
  limits: {},
  mediaUrl: 'https://…/media/imp_…/A%20talk.mp4?expires=…&signature=…',
  message: '…',
  nextCursor: null,
  platform: 'direct',
  quality: '1080p',
  removedAt: null,
  responseBody: 'ok',
  responseStatus: 200,
  secret: 'whsec_…',
  sha256: '9f86d081…',
  start: 0,
  startSeconds: 0,
  startedAt: TIME,
  success: true,
  text: 'Good morning, and welcome.',
  thumbnailUrl: 'https://…/media/imp_…/thumbnail.jpg?expires=…&signature=…',
  title: 'A talk',
  url: 'https://example.com/video.mp4',
  videoCodec: 'h264',
  width: 1920,
}
