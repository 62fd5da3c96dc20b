import { fromBase64, type Key, toBase64, utf8 } from '../../domain/encoding.ts'

/** Derived from the deployment's key, the account and a seed. The account's storage alone is not enough to sign. */
export const secretOf = async (key: Key, accountId: string, seed: string): Promise<string> =>
  `whsec_${toBase64(await crypto.subtle.sign('HMAC', key, utf8(`${accountId}.${seed}`)))}`

export interface SignedMessage {
  id: string
  /** The time of the attempt, not of the event. */
  timestampSeconds: number
  body: WebhookBody
}

/** JSON. Bytes, if it contains a transcript. */
export type WebhookBody = string | Uint8Array<ArrayBuffer>

/** One signature for each live secret, so that a rotation does not break receivers. */
export const signedHeaders = async (secrets: string[], message: SignedMessage): Promise<Record<string, string>> => {
  const signatures = await Promise.all(secrets.map((secret) => signature(secret, message)))
  return {
    'webhook-id': message.id,
    'webhook-timestamp': `${message.timestampSeconds}`,
    'webhook-signature': signatures.join(' '),
  }
}

const signature = async (secret: string, { id, timestampSeconds, body }: SignedMessage): Promise<string> => {
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', keyBytes(secret), hmac, false, ['sign'])
  const signed = await new Blob([`${id}.${timestampSeconds}.`, body]).arrayBuffer()
  return `v1,${toBase64(await crypto.subtle.sign('HMAC', key, signed))}`
}

/** The key is the decoded base64, not its characters: the most common mistake in implementations. */
const keyBytes = (secret: string) => fromBase64(secret.replace(/^whsec_/, ''))
