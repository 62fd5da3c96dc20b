import { beforeAll, expect } from 'vitest'
import type { Received } from '../../doubles/webhook-receiver.ts'
import { webhooks } from '../clients.ts'
import { testEach, workspace } from '../workspace.ts'

/** One real webhook, which unmodified packages verify. */
const space = workspace()
let jobId: string
let received: Received
let secret: string

beforeAll(async () => {
  const { site, account, page } = space
  const path = site.newPath()
  const webhookUrl = `${site.receiver.url}${path}`
  ;({ jobId } = await account.post<{ jobId: string }>('/transcribe', { url: page, webhookUrl }))
  ;[received] = (await site.receiver.wait(path, 1)) as [Received]
  ;({ secret } = await account.get<{ secret: string }>('/webhooks/secret'))
})

const given = (body: string) => ({
  stdin: `${JSON.stringify(received.headers)}\n${body}`,
  env: { HAUL_WEBHOOK_SECRET: secret },
})

testEach(webhooks, 'verifies a webhook', async (client) => {
  const output = await space.outputOf(client, given(received.body))
  expect(JSON.parse(output)).toMatchObject({ type: 'transcription.completed', data: { jobId } })
})

testEach(webhooks, 'refuses a webhook whose body was changed', async (client) => {
  const forged = received.body.replace('transcription.completed', 'transcription.failed')
  await expect(space.outputOf(client, given(forged))).rejects.toThrow(/signature/i)
})
