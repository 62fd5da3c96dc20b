import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freePort } from '../../../support/loopback.ts'
import { sha256 } from '../../../support/sha256.ts'
import { type Product, SPEECH_TIMEOUT_MS, spokenWords } from './product.ts'
import { forgedSecret, sendWebhook } from './send-webhook.ts'

export const testPodcastWorker = (product: Product): void => {
  const started = async (folder: string) => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const args = ['podcast-worker', '--persist-to', join(product.folder, folder)]
    const command = product.runExample(args, { PORT: `${port}`, PUBLIC_URL: url })
    await command.printed(`Ready on ${url}`)
    const { secret } = (await product.client.request('GET', '/webhooks/secret')).body.data
    const webhookUrl = `${url}/webhooks/haul`
    return {
      command,
      webhookUrl,
      episodes: async (): Promise<{ title: string; transcript: string | null }[]> => (await fetch(url)).json() as never,
      read: async (path: string) => (await fetch(`${url}${path}`)).text(),
      send: (type: string, data: object, signedWith: string = secret) => {
        const event = { type, timestamp: new Date().toISOString(), data }
        return sendWebhook(webhookUrl, { id: 'evt_1', event, secret: signedWith })
      },
    }
  }
  const pathOf = (file: string): string => `/transcripts/${sha256(product.media(file)).slice(0, 32)}.srt`

  test('the subtitles of the new episodes of a watch are kept, and those without speech are listed', {
    timeout: SPEECH_TIMEOUT_MS,
  }, async () => {
    const worker = await started('followed')
    const episode = (title: string, file: string): string =>
      `<item><title>${title}</title><enclosure url="${product.media(file)}" type="audio/mp4"/></item>`
    const items = [
      episode('Sense &amp; Sensibility', 'speech.m4a?1'),
      episode('A quiet one', 'silence.m4a?1'),
      episode('Old', 'speech.m4a?0'),
    ]
    const channel = `<channel><title>A podcast</title>${items.join('')}</channel>`
    await product.serve('feed.xml', `<?xml version="1.0"?><rss version="2.0">${channel}</rss>`)
    const { webhookUrl } = worker
    const transcribe = { mode: 'auto', maxCostDollars: 1, webhookUrl }
    const watch = { url: product.media('feed.xml'), first: 2, transcribe, webhookUrl }
    expect((await product.client.request('POST', '/watches', watch)).status).toBe(201)
    await worker.command.printed('Stored transcripts/')
    await worker.command.printed('failed with NO_SPEECH')
    const byTitle = (await worker.episodes()).toSorted((one, other) => one.title.localeCompare(other.title))
    expect(byTitle).toEqual([
      { title: 'A quiet one', publishedAt: '', transcript: null },
      { title: 'Sense & Sensibility', publishedAt: '', transcript: pathOf('speech.m4a?1') },
    ])
    const subtitles = await worker.read(pathOf('speech.m4a?1'))
    expect(subtitles).toMatch(/00:00:00,\d{3} --> /)
    expect(subtitles.replaceAll(/\s+/g, ' ')).toMatch(spokenWords)
  })

  test('webhooks may come twice and in another order, those of others are refused, and a watch that fails is reported', {
    timeout: SPEECH_TIMEOUT_MS,
  }, async () => {
    const worker = await started('received')
    const url = product.media('speech.m4a?2')
    const { jobId } = (await product.client.request('POST', '/transcribe', { url, mode: 'auto', maxCostDollars: 1 }))
      .body.data
    expect(await product.client.ended(jobId)).toMatchObject({ status: 'completed' })
    const item = {
      watchId: 'wat_1',
      itemId: 'wit_1',
      url,
      title: 'An episode',
      publishedAt: '2026-02-01T00:00:00.000Z',
    }
    expect(await worker.send('watch.item', item, forgedSecret)).toBe(401)
    for (const _ of ['once', 'twice']) {
      expect(await worker.send('transcription.completed', { jobId, status: 'completed' })).toBe(204)
      expect(await worker.send('watch.item', item)).toBe(204)
    }
    const { title, publishedAt } = item
    expect(await worker.episodes()).toEqual([{ title, publishedAt, transcript: pathOf('speech.m4a?2') }])

    const reason = { code: 'TOO_MANY_NEW', message: 'More items are new than maxNew allows.' }
    expect(
      await worker.send('watch.paused', { url: 'https://example.com/feed.xml', status: 'paused', ...reason }),
    ).toBe(204)
    await worker.command.printed('The watch of https://example.com/feed.xml is paused with TOO_MANY_NEW')
  })
}
