import { createHmac, timingSafeEqual } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import type { Received } from '../../doubles/webhook-receiver.ts'

/** The event of a webhook. Throws unless two implementations accept its signature. */
export const verifyWebhook = (
  secret: string,
  { headers, body }: Received,
): { type: string; timestamp: string; data: never } => {
  if (!isSigned(secret, headers as Record<string, string>, body)) throw new Error('The signature is wrong')
  return new Webhook(secret).verify(body, headers as Record<string, string>) as never
}

/** Written from the Standard Webhooks specification, independent of the library and of the product. */
const isSigned = (secret: string, headers: Record<string, string>, body: string): boolean => {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) => headers[`webhook-${name}`] ?? '')
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest()
  return (signatures ?? '')
    .split(' ')
    .map((entry) => entry.split(','))
    .filter(([version]) => version === 'v1')
    .map(([, signature]) => Buffer.from(signature ?? '', 'base64'))
    .some((signature) => signature.length === expected.length && timingSafeEqual(signature, expected))
}
