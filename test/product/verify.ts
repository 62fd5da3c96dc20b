import { createHmac, timingSafeEqual } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import type { Received } from './receiver.ts'

/** What a webhook says, once two implementations agree that it is from who knows the secret. Throws otherwise. */
export const verified = (
  secret: string,
  { headers, body }: Received,
): { type: string; timestamp: string; data: never } => {
  if (!isSigned(secret, headers as Record<string, string>, body)) throw new Error('our own verifier refuses it')
  return new Webhook(secret).verify(body, headers as Record<string, string>) as never
}

/** Written from the text of the specification, apart from the library and from the product. */
const isSigned = (secret: string, headers: Record<string, string>, body: string): boolean => {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) => headers[`webhook-${name}`] ?? '')
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest()
  return (signatures ?? '')
    .split(' ')
    .map((one) => one.split(','))
    .filter(([version]) => version === 'v1')
    .map(([, signature]) => Buffer.from(signature ?? '', 'base64'))
    .some((signature) => signature.length === expected.length && timingSafeEqual(signature, expected))
}
