import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Received, respond } from '../../doubles/webhook-receiver.ts'
import type { AccountClient } from '../../support/product/api-client.ts'
import { deliveriesOf } from '../../support/product/deliveries.ts'
import { product } from '../../support/product/product.ts'
import { verifyWebhook } from '../../support/product/verify-webhook.ts'

/** Batches in the whole product: real queues, a real container, and a server of media. */
const site = product()

interface Batch {
  batchId: string
  status: string
  title: string | null
  counts: Record<string, number>
  costInDollars: number
}

interface Item {
  url: string
  title: string | null
  jobId: string
  status: string
  code: string | null
  costInDollars: number | null
}

const start = async (client: AccountClient, body: object): Promise<string> =>
  (await client.post<Batch>('/batches', { import: {}, ...body })).batchId

const ended = async (client: AccountClient, batchId: string): Promise<Batch> => {
  for (;;) {
    const batch = await client.get<Batch>(`/batches/${batchId}`)
    if (batch.status !== 'queued' && batch.status !== 'running') return batch
    await sleep(50)
  }
}

const itemsOf = async (client: AccountClient, batchId: string): Promise<Item[]> =>
  (await client.get<{ items: Item[] }>(`/batches/${batchId}/items`)).items

const chargesOf = async (client: AccountClient): Promise<string[]> => {
  const { entries } = await client.get<{ entries: { kind: string; jobId: string }[] }>('/account/ledger')
  return entries.filter(({ kind }) => kind === 'charge').map(({ jobId }) => jobId)
}

/** The batch's own webhook arrives once, and has what `GET /batches/{id}` answers. */
const expectOneWebhook = async (client: AccountClient, path: string, type: string, batchId: string) => {
  const [received] = (await site.receiver.wait(path, 1)) as [Received]
  const { secret } = await client.get<{ secret: string }>('/webhooks/secret')
  const event = verifyWebhook(secret, received)
  const batch = await client.get<Batch & { completedAt: string }>(`/batches/${batchId}`)
  expect(event).toEqual({ type, timestamp: batch.completedAt, data: batch })
  await expect.poll(async () => (await deliveriesOf(client)).map(({ status }) => status)).toEqual(['delivered'])
  expect(site.receiver.at(path)).toHaveLength(1)
}

test('a batch imports every URL that can be imported, says what is wrong with the others, and tells of its end once', async () => {
  const [client, path] = await site.newPair()
  const { url } = site.origin
  const urls = ['media/faststart.mp4', 'media/nowhere.mp4', 'media/still.jpg', 'media/clip.webm'].map(
    (each) => `${url}/${each}`,
  )
  const batchId = await start(client, { urls, webhookUrl: `${site.receiver.url}${path}` })
  const batch = await ended(client, batchId)
  const items = await itemsOf(client, batchId)
  expect(items.map(({ status, code }) => [status, code])).toEqual([
    ['completed', null],
    ['failed', 'UNREACHABLE_URL'],
    ['failed', 'SOURCE_UNSUPPORTED'],
    ['completed', null],
  ])
  expect(items.map((item) => item.title)).toEqual(['faststart', null, null, 'clip'])
  const costs = items.reduce((sum, { costInDollars }) => sum + (costInDollars ?? 0), 0)
  expect(batch.costInDollars).toBeCloseTo(costs, 6)
  expect(await client.account()).toMatchObject({ heldDollars: 0, balanceDollars: 10 - batch.costInDollars })
  expect((await chargesOf(client)).sort()).toEqual([items[0]?.jobId, items[3]?.jobId].sort())
  const { result } = await client.read(items[3]?.jobId ?? '')
  expect((await fetch(result.mediaUrl)).headers.get('content-type')).toBe('video/webm')
  await expectOneWebhook(client, path, 'batch.completed', batchId)
})

test('episodes whose feed names a transcript are transcribed for a cent, with its chapters, and the others as always', async () => {
  const client = await site.newClient()
  const file = (text: string, type: string) => {
    const path = site.newPath()
    site.receiver.behave(path, respond(200, text, { 'content-type': type }))
    return `${site.receiver.url}${path}`
  }
  const html = file('<cite>Ann:</cite> <time>0:01</time> <p>Hello and welcome.</p>', 'text/html')
  const chapters = file('{"chapters": [{"startTime": 0, "title": "Start"}]}', 'application/json+chapters')
  const media = `${site.origin.url}/media/tone.mp3`
  const linked = `<podcast:transcript url="${html}" type="text/html" language="en"/><podcast:chapters url="${chapters}" type="application/json+chapters"/>`
  const items = [
    `<item><title>With</title><enclosure url="${media}"/>${linked}</item>`,
    `<item><title>Without</title><enclosure url="${media}?2"/></item>`,
  ]
  const feed = file(
    `<rss version="2.0"><channel><title>A podcast</title>${items.join('')}</channel></rss>`,
    'application/rss+xml',
  )
  const sentBefore = site.origin.sentBytes
  const batchId = await start(client, { urls: undefined, import: undefined, transcribe: {}, playlistUrl: feed })
  const counts = { total: 2, completed: 1, failed: 1 }
  expect(await ended(client, batchId)).toMatchObject({ title: 'A podcast', counts, costInDollars: 0.01 })
  const [withOne, without] = await itemsOf(client, batchId)
  expect(withOne).toMatchObject({ url: media, title: 'With', status: 'completed' })
  expect(without).toMatchObject({ code: 'TRANSCRIPTION_PROVIDER_REQUIRED', costInDollars: null })
  const { result } = await client.get<{ result: object }>(`/jobs/${withOne?.jobId}`)
  expect(result).toMatchObject({
    source: 'platform_captions',
    language: 'en',
    text: 'Hello and welcome.',
    chapters: [{ title: 'Start', start: 0 }],
    data: { segments: [{ start: 1, speaker: 'Ann' }] },
    costInDollars: 0.01,
  })
  expect(site.origin.sentBytes - sentBefore).toBeLessThan(500_000)
})

test('a batch that is canceled while an item is downloaded stops it, and its money is free again', async () => {
  const [client, path] = await site.newPair()
  const urls = [1, 2, 3].map((each) => `${site.origin.url}/generated/30000000.mp4?ratePerSecond=1000000&${each}`)
  const sentBefore = site.origin.sentBytes
  const batchId = await start(client, { urls, webhookUrl: `${site.receiver.url}${path}` })
  // More than the checks of the URLs.
  await expect.poll(() => site.origin.sentBytes - sentBefore).toBeGreaterThan(100_000)
  const canceled = await client.remove<Batch>(`/batches/${batchId}`)
  expect(canceled).toMatchObject({ status: 'canceled', counts: { running: 0, waiting: 0, skipped: 3 } })
  const sentBytes = site.origin.sentBytes
  expect(await client.account()).toMatchObject({ heldDollars: 0, balanceDollars: 10 })
  await expectOneWebhook(client, path, 'batch.canceled', batchId)
  expect((await itemsOf(client, batchId)).map(({ status }) => status)).toEqual(['canceled', 'canceled', 'canceled'])
  expect(site.origin.sentBytes - sentBytes).toBeLessThan(3_000_000)
})
