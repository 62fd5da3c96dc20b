import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { Haul, HaulWebhookError } from '../../../client/src/index.ts'

/** The reference implementation of Standard Webhooks signs, and we verify. */
const secret = `whsec_${btoa('a secret of some length')}`
const otherSecret = `whsec_${btoa('another secret of some length')}`
const id = 'evt_1'
const event = {
  type: 'import.completed',
  timestamp: '2026-11-22T12:00:00.000Z',
  data: { jobId: 'imp_1', title: 'Ä — 漢' },
}
const body = JSON.stringify(event)
const { webhooks } = new Haul()

const signed = (secrets: string[], at = new Date(), text = body) => ({
  'webhook-id': id,
  'webhook-timestamp': `${Math.floor(at.getTime() / 1_000)}`,
  'webhook-signature': secrets.map((each) => new Webhook(each).sign(id, at, text)).join(' '),
})
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)

test.each([
  ['a Headers object', new Headers(signed([secret]))],
  ['headers of Node', signed([secret])],
  [
    'headers in another case',
    Object.fromEntries(Object.entries(signed([secret])).map(([name, value]) => [name.toUpperCase(), value])),
  ],
  ['signatures of two secrets', signed([otherSecret, secret])],
  [
    'a signature of an unknown version',
    { ...signed([secret]), 'webhook-signature': `v2,AAAA ${signed([secret])['webhook-signature']}` },
  ],
  ['a time four minutes ago', signed([secret], minutesAgo(4))],
])('a webhook with %s is accepted', async (_, headers) => {
  expect(await webhooks.verify(body, headers, secret)).toEqual(event)
  expect(await webhooks.verify(new TextEncoder().encode(body), headers, secret)).toEqual(event)
})

test.each([
  ['another body', signed([secret], new Date(), `${body} `), 'signature'],
  ['another secret', signed([otherSecret]), 'signature'],
  ['another id', { ...signed([secret]), 'webhook-id': 'evt_2' }, 'signature'],
  ['a cut signature', { ...signed([secret]), 'webhook-signature': 'v1,AAAA' }, 'signature'],
  ['a signature that is not base64', { ...signed([secret]), 'webhook-signature': 'v1,?' }, 'signature'],
  ['no signature', { ...signed([secret]), 'webhook-signature': '' }, 'signature'],
  ['no signature header', { 'webhook-id': id, 'webhook-timestamp': '1' }, 'webhook-signature is missing'],
  ['a time six minutes ago', signed([secret], minutesAgo(6)), 'five minutes'],
  ['a time in six minutes', signed([secret], minutesAgo(-6)), 'five minutes'],
  ['a time that is not a number', { ...signed([secret]), 'webhook-timestamp': 'now' }, 'five minutes'],
])('a webhook with %s is rejected', async (_, headers, message) => {
  const error = await webhooks.verify(body, headers, secret).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(HaulWebhookError)
  expect(error.message).toContain(message)
})

test('a secret that cannot be one is reported as such', async () => {
  await expect(webhooks.verify(body, signed([secret]), 'whsec_?')).rejects.toThrow('GET /webhooks/secret')
})
