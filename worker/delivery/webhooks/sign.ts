import { toBase64 } from './secret.ts'

/** Standard Webhooks 1.0: what is signed, and the headers that carry it. */
export interface Envelope {
  id: string
  /** Of the attempt, not of the event. */
  timestampSeconds: number
  body: string
}

export const signedHeaders = async (secrets: string[], envelope: Envelope): Promise<Record<string, string>> => {
  const signatures = await Promise.all(secrets.map((secret) => signature(secret, envelope)))
  return {
    'webhook-id': envelope.id,
    'webhook-timestamp': `${envelope.timestampSeconds}`,
    'webhook-signature': signatures.join(' '),
  }
}

const signature = async (secret: string, { id, timestampSeconds, body }: Envelope): Promise<string> => {
  const key = await crypto.subtle.importKey('raw', bytesOf(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const signed = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(`${id}.${timestampSeconds}.${body}`))
  return `v1,${toBase64(signed)}`
}

/** The key is what the base64 stands for, not its letters: the mistake that most implementations begin with. */
const bytesOf = (secret: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(secret.replace(/^whsec_/, '')), (char) => char.charCodeAt(0))
