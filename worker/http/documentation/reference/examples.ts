import { type Document, type Endpoint, resolved, type Schema, successOf } from './document.ts'

/** A curl command with placeholders in angle brackets. */
export const curlOf = ({ method, path, operation }: Endpoint, baseUrl: string, document: Document): string => {
  const address = `${baseUrl}${path.replace(/\{(\w+)\}/g, '<$1>')}${queryOf(operation.parameters ?? [], document)}`
  const body = operation.requestBody?.content['application/json']?.schema
  const lines = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}'${address}'`,
    ...credentialOf(operation.security),
    ...(operation.requestBody?.content['multipart/form-data'] ? ["-F 'file=@speech.mp3'"] : []),
    ...(body ? [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(requestSample(body, document))}'`] : []),
  ]
  return lines.join(' \\\n  ')
}

const credentialOf = (security: Record<string, string[]>[] = []): string[] => {
  const [scheme] = security.flatMap(Object.keys)
  if (!scheme) return []
  return [`-H "Authorization: Bearer ${scheme === 'adminToken' ? '$ADMIN_TOKEN' : '$HAUL_API_KEY'}"`]
}

const queryOf = (parameters: NonNullable<Endpoint['operation']['parameters']>, document: Document): string => {
  const required = parameters.filter((parameter) => parameter.in === 'query' && parameter.required)
  const pairs = required.map(({ name, schema }) => {
    const { example } = resolved(schema, document)
    return `${name}=${example === undefined ? `<${name}>` : encodeURIComponent(String(example))}`
  })
  return pairs.length > 0 ? `?${pairs.join('&')}` : ''
}

/** A sample of the first successful JSON response. */
export const responseOf = ({ operation }: Endpoint, document: Document): Json | undefined => {
  const schema = successOf(operation)?.schema
  return schema && sampleOf('', schema, document)
}

type Json = string | number | boolean | null | Json[] | { [name: string]: Json }

/** The required fields of a body, unless its schema has an example. */
const requestSample = (schema: Schema, document: Document): Json => {
  const { properties = {}, required = [], example } = resolved(schema, document)
  if (example !== undefined) return example as Json
  return Object.fromEntries(required.map((name) => [name, sampleOf(name, properties[name] ?? {}, document)]))
}

/** A realistic value: by the field's name if it is listed below, otherwise by its type. */
const sampleOf = (name: string, schema: Schema, document: Document): Json => {
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

/** Optional fields belong to special cases and are left out, except for `result`, which is the purpose of the response. */
const objectSample = ({ properties = {}, required = [] }: Schema, document: Document): Json =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => required.includes(name) || name === 'result')
      .map(([name, property]) => [name, sampleOf(name, property, document)]),
  )

const plainSample = (name: string, { type, format }: Schema): Json => {
  const [plain] = [type ?? 'object'].flat()
  if (plain === 'string') return format === 'date-time' ? TIME : `<${name || 'string'}>`
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
  batchId: 'bat_…',
  billedBytes: 15_342_100,
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
  extractor: 'direct',
  extractorVersion: null,
  expiresAt: '2026-11-28T09:00:04.120Z',
  failedDeliveries: 0,
  filename: 'A talk.mp4',
  fileSizeBytes: 15_342_100,
  heldDollars: 0.15,
  height: 1080,
  index: 0,
  isLive: false,
  jobId: 'imp_…',
  keyId: 'key_…',
  language: 'en',
  maxCostDollars: null,
  mediaUrl: 'https://…/media/imp_…/A%20talk.mp4?expires=…&signature=…',
  message: '…',
  metadata: { episode: '42' },
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
