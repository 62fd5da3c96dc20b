import { readFile } from 'node:fs/promises'
import { serve } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'

const { HAUL_URL, HAUL_API_KEY, MAX_COST_DOLLARS = '1', MAX_BYTES = '500000000' } = process.env
const port = Number(process.env.PORT ?? 3001)
const page = await readFile(new URL('index.html', import.meta.url), 'utf8')

/** Ids of what was started here. The key could read every upload and job of the account, which visitors must not. */
const started = new Set<string>()

const app = new Hono()

app.get('/', (c) => c.html(page))

app.post('/uploads', async (c) => {
  const { filename, sizeBytes } = await c.req.json()
  if (sizeBytes > Number(MAX_BYTES)) return c.json({ error: 'The file is too large.' }, 413)
  return relay(c, await haul('POST', '/uploads', { filename, sizeBytes }), ({ uploadId }) => started.add(uploadId))
})

app.post('/uploads/:id/transcribe', async (c) => {
  const uploadId = c.req.param('id')
  if (!started.has(uploadId)) return c.notFound()
  const { parts } = await c.req.json()
  const completed = await haul('POST', `/uploads/${uploadId}/complete`, { parts })
  if (!completed.ok) return relay(c, completed)
  const options = { provider: 'builtin', maxCostDollars: Number(MAX_COST_DOLLARS) }
  return relay(c, await haul('POST', '/transcribe', { uploadId, ...options }), ({ jobId }) => started.add(jobId))
})

app.get('/jobs/:id/events', (c) => stream(c, `/jobs/${c.req.param('id')}/events`))
app.get('/jobs/:id/transcript/:format{srt|vtt}', (c) =>
  stream(c, `/transcribe/transcript?id=${c.req.param('id')}&format=${c.req.param('format')}`),
)

const haul = (method: string, path: string, body?: object, signal?: AbortSignal): Promise<Response> =>
  fetch(`${HAUL_URL}${path}`, {
    method,
    headers: { authorization: `Bearer ${HAUL_API_KEY}`, 'content-type': 'application/json' },
    body: body ? JSON.stringify(body) : null,
    signal: signal ?? null,
  })

/** Answers the page with what Haul has answered: the data, or the reason for a refusal. */
const relay = async (c: Context, response: Response, onData: (data: Started) => void = () => {}) => {
  const { data, error } = (await response.json()) as { data: Started; error?: string }
  if (response.ok) onData(data)
  return c.json(response.ok ? data : { error }, response.status as ContentfulStatusCode)
}

interface Started {
  uploadId: string
  jobId: string
}

const stream = async (c: Context, path: string) => {
  if (!started.has(c.req.param('id') ?? '')) return c.notFound()
  // Its signal aborts when the visitor leaves.
  const { body, status, headers } = await haul('GET', path, undefined, c.req.raw.signal)
  const kept = ['content-type', 'content-disposition'].flatMap((name) => [[name, headers.get(name) ?? '']] as const)
  return new Response(body, { status, headers: Object.fromEntries(kept.filter(([, value]) => value)) })
}

app.onError((error, c) => {
  console.error(error)
  return c.json({ error: 'The service does not answer. Try again in a minute.' }, 502)
})

serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, () => console.log(`Open http://127.0.0.1:${port}`))
