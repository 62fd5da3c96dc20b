import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { secretOf, signedHeaders } from '../../../../worker/webhooks/sign.ts'

/** As published: by the reference libraries of Standard Webhooks, and by Svix, from whose scheme they come. */
const vectors = [
  {
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestampSeconds: 1614265330,
    body: '{"test": 2432232314}',
    signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
  {
    secret: 'whsec_plJ3nmyCDGBKInavdOK15jsl',
    id: 'msg_loFOjxBNrRLzqYUf',
    timestampSeconds: 1731705121,
    body: '{"event_type":"ping","data":{"success":true}}',
    signature: 'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
  },
  {
    secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
    id: 'msg_27UH4WbU6Z5A5EzD8u03UvzRbpk',
    timestampSeconds: 1649367553,
    body: '{"email":"test@example.com","username":"test_user"}',
    signature: 'v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw=',
  },
]

test.each(vectors)('the signature of the published example $id matches', async ({ secret, signature, ...envelope }) => {
  const headers = await signedHeaders([secret], envelope)
  expect(headers).toEqual({
    'webhook-id': envelope.id,
    'webhook-timestamp': `${envelope.timestampSeconds}`,
    'webhook-signature': signature,
  })
})

test('each live secret adds a signature, and the reference library accepts either secret and no third', async () => {
  const [first, second, third] = vectors.map(({ secret }) => secret) as [string, string, string]
  const body = '{"title":"Über 東京 🎬"}'
  const timestampSeconds = Math.floor(Date.now() / 1000)
  const headers = await signedHeaders([first, second], { id: 'evt_1', timestampSeconds, body })
  expect(headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/)
  expect(new Webhook(first).verify(body, headers)).toEqual({ title: 'Über 東京 🎬' })
  expect(new Webhook(second).verify(body, headers)).toEqual({ title: 'Über 東京 🎬' })
  expect(() => new Webhook(third).verify(body, headers)).toThrow('No matching signature found')
  expect(() => new Webhook(first).verify(`${body} `, headers)).toThrow('No matching signature found')
})

const keyOf = (text: string) =>
  crypto.subtle.importKey('raw', new TextEncoder().encode(text), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])

test('a secret is whsec_ and 32 bytes, different for every account, seed and deployment', async () => {
  const [key, otherKey] = [await keyOf('one deployment'), await keyOf('another')]
  const secrets = await Promise.all([
    secretOf(key, 'acct_a', 'seed'),
    secretOf(key, 'acct_b', 'seed'),
    secretOf(key, 'acct_a', 'other seed'),
    secretOf(otherKey, 'acct_a', 'seed'),
  ])
  expect(new Set(secrets).size).toBe(4)
  expect(await secretOf(key, 'acct_a', 'seed')).toBe(secrets[0])
  for (const secret of secrets) {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32)
  }
})
