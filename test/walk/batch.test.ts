import { expect, test } from 'vitest'
import { type Received, respond } from '../doubles/webhook-receiver.ts'
import { product } from '../support/product/product.ts'
import { verifyWebhook } from '../support/product/verify-webhook.ts'

const site = product()

test('the episodes of a feed are imported as a batch, whose end is told once', async () => {
  const [client, path] = await site.newPair()
  const episodes = ['media/faststart.mp4', 'media/nowhere.mp4', 'media/clip.webm'].map((each) => site.media(each))
  const items = episodes.map((url, index) => `<item><title>Part ${index}</title><enclosure url="${url}"/></item>`)
  const feed = site.newPath()
  const text = `<rss version="2.0"><channel><title>A podcast</title>${items.join('')}</channel></rss>`
  site.receiver.behave(feed, respond(200, text, { 'content-type': 'application/rss+xml' }))
  const webhookUrl = `${site.receiver.url}${path}`
  const request = { playlistUrl: `${site.receiver.url}${feed}`, import: {}, webhookUrl }
  const { batchId } = await client.post<{ batchId: string }>('/batches', request)

  const [webhook] = (await site.receiver.wait(path, 1)) as [Received]
  const { secret } = await client.get<{ secret: string }>('/webhooks/secret')
  const batch = await client.get<{ costInDollars: number; completedAt: string }>(`/batches/${batchId}`)
  expect(batch).toMatchObject({
    status: 'completed',
    title: 'A podcast',
    counts: { total: 3, completed: 2, failed: 1 },
  })
  expect(verifyWebhook(secret, webhook)).toEqual({
    type: 'batch.completed',
    timestamp: batch.completedAt,
    data: batch,
  })
  const { items: ended } = await client.get<{ items: { jobId: string }[] }>(`/batches/${batchId}/items`)
  expect(ended).toMatchObject([
    { title: 'Part 0', status: 'completed' },
    { title: 'Part 1', status: 'failed', code: 'UNREACHABLE_URL' },
    { title: 'Part 2', status: 'completed' },
  ])
  const { result } = await client.read(ended[2]?.jobId ?? '')
  expect((await fetch(result.mediaUrl)).headers.get('content-type')).toBe('video/webm')
  await expect.poll(async () => (await client.account()).heldDollars).toBe(0)
  expect((await client.account()).balanceDollars).toBeCloseTo(10 - batch.costInDollars, 6)
})
