import { createHmac } from 'node:crypto'

/** Headers of a webhook as Standard Webhooks 1.0 has them. */
export const signedHeaders = (
  secret: string,
  { id, timestampSeconds, body }: { id: string; timestampSeconds: number; body: string },
): Record<string, string> => {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestampSeconds}.${body}`).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': `v1,${signature}`,
  }
}
