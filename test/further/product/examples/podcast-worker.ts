import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freePort } from '../../../support/loopback.ts'
import { sha256 } from '../../../support/sha256.ts'
import { type Product, SPEECH_TIMEOUT_MS, spokenWords } from './product.ts'
import { forgedSecret, sendWebhook } from './send-webhook.ts'

export const testPodcastWorker = (product: Product): void => {
  const episode = (title: string, file: string): string =>
    `<item><title>${title}</title><enclosure url="${product.media(file)}" type="audio/mp4" length="1"/></item>`

  const started = async (feed: string, items: string[]) => {
    const channel = `<channel><title>A podcast</title>${items.join('')}</channel>`
    await product.serve(feed, `<?xml version="1.0"?><rss version="2.0">${channel}</rss>`)
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const env = { PORT: `${port}`, PUBLIC_URL: url, FEED_URL: product.media(feed) }
    const args = ['podcast-worker', '--persist-to', join(product.folder, feed.replace('.xml', ''))]
    const command = product.runExample(args, env)
    await command.printed(`Ready on ${url}`)
    const transcripts = async (): Promise<{ title: string; path: string }[]> => (await fetch(url)).json() as never
    return {
      command,
      webhookUrl: `${url}/webhooks/haul`,
      runHour: async () => expect((await fetch(`${url}/__scheduled?cron=0+*+*+*+*`)).status).toBe(200),
      transcripts,
      read: async (path: string) => (await fetch(`${url}${path}`)).text(),
    }
  }
  const jobsOf = async (file: string): Promise<string[]> => {
    const { jobs } = (await product.client.request('GET', '/jobs?type=transcription&limit=100')).body.data
    return jobs.flatMap(({ url, jobId }: { url: string; jobId: string }) =>
      url === product.media(file) ? [jobId] : [],
    )
  }

  test('the subtitles of each new episode are stored, and no episode is transcribed twice', {
    timeout: SPEECH_TIMEOUT_MS,
  }, async () => {
    const items = [
      episode('Gone', 'gone.m4a'),
      episode('Sense &amp; Sensibility', 'speech.m4a?1'),
      episode('A quiet one', 'silence.m4a?1'),
    ]
    const worker = await started('feed.xml', items)
    await worker.runHour()
    await worker.command.printed('Stored transcripts/')
    await worker.command.printed('"A quiet one" failed with NO_SPEECH')
    const [transcript, ...others] = await worker.transcripts()
    expect(others).toEqual([])
    expect(transcript).toEqual({
      title: 'Sense & Sensibility',
      path: `/transcripts/${sha256(product.media('speech.m4a?1')).slice(0, 32)}.srt`,
    })
    const subtitles = await worker.read(transcript?.path ?? '')
    expect(subtitles).toMatch(/00:00:00,\d{3} --> /)
    expect(subtitles.replaceAll(/\s+/g, ' ')).toMatch(spokenWords)

    await worker.runHour()
    expect(await jobsOf('speech.m4a?1')).toHaveLength(1)
    expect(await jobsOf('silence.m4a?1')).toHaveLength(1)
  })

  test('an episode whose job has failed retryably is transcribed again, three times in all', {
    timeout: SPEECH_TIMEOUT_MS,
  }, async () => {
    const worker = await started('retried.xml', [episode('Unlucky', 'silence.m4a?2')])
    const { secret } = (await product.client.request('GET', '/webhooks/secret')).body.data
    const fail = async (jobId: string) => {
      const data = { jobId, status: 'failed', code: 'TIMED_OUT', message: 'It took too long.', retryable: true }
      const event = { type: 'transcription.failed', timestamp: new Date().toISOString(), data }
      expect(await sendWebhook(worker.webhookUrl, { id: `evt_${jobId}`, event, secret: forgedSecret })).toBe(401)
      return sendWebhook(worker.webhookUrl, { id: `evt_${jobId}`, event, secret })
    }
    expect(await fail('trn_unknown')).toBe(409)
    for (const attempts of [1, 2, 3, 3]) {
      await worker.runHour()
      const jobs = await jobsOf('silence.m4a?2')
      expect(jobs).toHaveLength(attempts)
      // Its own webhook comes first, and says that it cannot be retried.
      await expect.poll(() => worker.command.output().match(/NO_SPEECH/g)).toHaveLength(attempts)
      expect(await fail(jobs[0] ?? '')).toBe(204)
    }
  })
}
