import { createHash } from 'node:crypto'
import { createWriteStream, mkdirSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pipeline } from 'node:stream/promises'
import { serve } from '@hono/node-server'
import { Haul, HaulWebhookError, type ImportResult, type WebhookEvent } from 'haul-client'
import { Hono } from 'hono'

/** Reads HAUL_URL and HAUL_API_KEY. */
const haul = new Haul()
const { HAUL_WEBHOOK_SECRET = '', FOLDER = 'downloads' } = process.env
const port = Number(process.env.PORT ?? 3000)
/** Where Haul reaches this app. Empty: webhooks come another way, such as `haul listen --forward-to`. */
const publicUrl = process.env.PUBLIC_URL ?? `http://127.0.0.1:${port}`

// Events are stored before they are answered, so that a restart loses none and a repeated one is handled once.
mkdirSync(FOLDER, { recursive: true })
const db = new DatabaseSync(join(FOLDER, 'events.sqlite'))
db.exec('CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY, body TEXT NOT NULL, handled INTEGER DEFAULT 0)')
const addEvent = db.prepare('INSERT INTO events (id, body) VALUES (?, ?) ON CONFLICT DO NOTHING')
const unhandledEvents = db.prepare('SELECT id, body FROM events WHERE handled = 0')
const setHandled = db.prepare('UPDATE events SET handled = 1 WHERE id = ?')

const app = new Hono()

app.post('/webhooks/haul', async (c) => {
  // The signature covers the bytes as they were sent, so the body is verified before it is parsed.
  const body = await c.req.text()
  try {
    await haul.webhooks.verify(body, c.req.raw.headers, HAUL_WEBHOOK_SECRET)
  } catch (error) {
    if (error instanceof HaulWebhookError) return c.text(error.message, 401)
    throw error
  }
  // Haul waits 15 seconds for the answer. A download may take longer, so it starts after it.
  addEvent.run(c.req.header('webhook-id') ?? '', body)
  handleEvents()
  return c.body(null, 204)
})

/** One run at a time. What fails stays in the table for the next run. */
let running = Promise.resolve()
const handleEvents = () => {
  running = running.then(async () => {
    for (const { id, body } of unhandledEvents.all() as { id: string; body: string }[]) {
      try {
        await handle(JSON.parse(body))
        setHandled.run(id)
      } catch (error) {
        console.error(`Event ${id} is tried again in a minute:`, error)
      }
    }
  })
}

const handle = async ({ type, data }: WebhookEvent): Promise<void> => {
  if (type === 'import.completed' && data.result) await save(data.jobId, data.result)
  if (type === 'import.failed') console.error(`${data.jobId} failed with ${data.code}: ${data.message}`)
}

const save = async (jobId: string, { mediaUrl, filename, fileSizeBytes, sha256 }: ImportResult): Promise<void> => {
  const response = await fetch(mediaUrl)
  if (response.status === 410) return console.error(`${jobId} is no longer stored.`)
  if (!response.ok || !response.body) throw new Error(`${mediaUrl} answered ${response.status}`)
  const path = join(FOLDER, `${jobId}-${basename(filename)}`)
  const hash = createHash('sha256')
  let sizeBytes = 0
  const measure = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      hash.update(chunk)
      sizeBytes += chunk.length
      yield chunk
    }
  }
  await pipeline(response.body, measure, createWriteStream(`${path}.part`))
  if (sizeBytes !== fileSizeBytes) throw new Error(`${jobId} has ${sizeBytes} bytes instead of ${fileSizeBytes}`)
  if (hash.digest('hex') !== sha256) throw new Error(`${jobId} has another SHA-256 than ${sha256}`)
  await rename(`${path}.part`, path)
  console.log(`Saved ${path}, ${sizeBytes} bytes, SHA-256 ${sha256}`)
}

const startImport = async (url: string): Promise<void> => {
  try {
    const webhook = publicUrl && { webhookUrl: `${publicUrl}/webhooks/haul` }
    const { jobId } = await haul.import(url, { ...webhook, wait: false })
    console.log(`${jobId} started for ${url}`)
  } catch (error) {
    console.error(`${url} was not started:`, error)
  }
}

serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, () => {
  console.log(`Waiting for webhooks at http://127.0.0.1:${port}/webhooks/haul`)
  handleEvents()
  setInterval(handleEvents, 60_000)
  for (const url of process.argv.slice(2)) startImport(url)
})
