import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { choosePort } from '../../../../scripts/start/ports.ts'
import { freePort } from '../../../support/loopback.ts'
import type { Delivery } from '../../../support/product/deliveries.ts'
import { sha256 } from '../../../support/sha256.ts'
import type { Product } from './product.ts'
import { forgedSecret, sendWebhook } from './send-webhook.ts'

export const testWebhookToFile = (product: Product): void => {
  const started = async (folder: string, ...urls: string[]) => {
    const port = await freePort()
    const env = { PORT: `${port}`, PUBLIC_URL: `http://127.0.0.1:${port}`, FOLDER: join(product.folder, folder) }
    const command = product.runExample(['webhook-to-file', ...urls], env)
    await command.printed('Waiting for webhooks')
    return { command, env, webhookUrl: `http://127.0.0.1:${port}/webhooks/haul` }
  }
  const filesIn = async (folder: string): Promise<string[]> =>
    (await readdir(join(product.folder, folder))).filter((name) => !name.startsWith('events.sqlite'))

  const secretOfAccount = async (): Promise<string> =>
    (await product.client.request('GET', '/webhooks/secret')).body.data.secret
  const completed = async (changes: object) => {
    const bytes = await readFile(join(product.folder, 'speech.m4a'))
    const file = { filename: 'talk.m4a', fileSizeBytes: bytes.length, sha256: sha256(bytes) }
    const result = { mediaUrl: product.media('speech.m4a'), ...file, ...changes }
    return { type: 'import.completed', data: { jobId: 'imp_1', result } }
  }

  test('the file of an import is stored once, however often its webhook is sent', async () => {
    const { command } = await started('downloads', product.media('speech.m4a'))
    await command.printed('Saved ')
    const [name = ''] = await filesIn('downloads')
    expect(name).toMatch(/^imp_\w+-speech\.m4a$/)
    const stored = await readFile(join(product.folder, 'downloads', name))
    expect(sha256(stored)).toBe(sha256(await readFile(join(product.folder, 'speech.m4a'))))

    const jobId = name.split('-')[0]
    const delivery = async (): Promise<Delivery> =>
      (await product.client.request('GET', `/webhooks/deliveries?jobId=${jobId}`)).body.data.deliveries[0]
    await expect.poll(async () => (await delivery()).status).toBe('delivered')
    const { id, lastAttemptAt } = await delivery()
    await product.client.request('POST', `/webhooks/deliveries/${id}/replay`)
    const isReplayed = ({ status, lastAttemptAt: at }: Delivery) => status === 'delivered' && at !== lastAttemptAt
    await expect.poll(async () => isReplayed(await delivery())).toBe(true)
    expect(command.output().match(/Saved /g)).toHaveLength(1)
    expect(await filesIn('downloads')).toEqual([name])
  })

  test('without a PUBLIC_URL, the command forwards the webhooks of Haul, which refuses the private address', async () => {
    const env = { PORT: `${await choosePort(0, 'PORT')}`, FOLDER: join(product.folder, 'forwarded') }
    const command = product.runExample(['webhook-to-file', product.media('speech.m4a')], env)
    await command.printed('Saved ')
    expect(await filesIn('forwarded')).toHaveLength(1)
    const { secret } = (await product.client.request('GET', '/webhooks/secret')).body.data
    expect(command.output()).not.toContain(secret)
  })

  test('a webhook with a wrong signature is refused, and nothing is stored', async () => {
    const { webhookUrl } = await started('forged')
    expect(await sendWebhook(webhookUrl, { id: 'evt_1', event: await completed({}), secret: forgedSecret })).toBe(401)
    expect((await fetch(webhookUrl, { method: 'POST', body: '{}' })).status).toBe(401)
    expect(await filesIn('forged')).toEqual([])
  })

  test('a file with other bytes than announced is not stored, and a restart tries again', async () => {
    const secret = await secretOfAccount()
    const first = await started('retried')
    const event = await completed({ mediaUrl: product.media('late.m4a') })
    await product.serve('late.m4a', 'Not the file.')
    expect(await sendWebhook(first.webhookUrl, { id: 'evt_1', event, secret })).toBe(204)
    await first.command.printed('imp_1 has 13 bytes instead of')
    expect(await filesIn('retried')).toEqual(['imp_1-talk.m4a.part'])
    first.command.kill('SIGTERM')
    await first.command.exited

    await product.serve('late.m4a', await readFile(join(product.folder, 'speech.m4a')))
    const second = await started('retried')
    await second.command.printed('Saved ')
    expect(await filesIn('retried')).toEqual(['imp_1-talk.m4a'])
  })

  test('a URL that Haul refuses is reported with its code', async () => {
    const { command } = await started('refused', product.media('missing.mp4'))
    await command.printed('UNREACHABLE_URL')
  })
}
