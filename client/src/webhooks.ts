import type { WebhookEvent, WebhookSecret } from './api-types.ts'
import { HaulWebhookError } from './errors.ts'
import { Group } from './http/connection.ts'
import type { CallOptions } from './options.ts'

/** Headers of a request, as the Fetch API or Node's `http` has them. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>

/** Standard Webhooks 1.0. An older request may be a repetition by somebody who has recorded it. */
const TOLERANCE_SECONDS = 300

export class Webhooks extends Group {
  /**
   * Resolves with the event if Haul has signed the request with this secret in the last five minutes, and rejects with
   * a `HaulWebhookError` otherwise. It needs the body as it was sent, not parsed, and no API key.
   *
   * ```ts
   * const event = await haul.webhooks.verify(await request.text(), request.headers, secret)
   * if (event.type === 'import.completed') console.log(event.data.result?.mediaUrl)
   * ```
   */
  async verify(rawBody: string | Uint8Array, headers: WebhookHeaders, secret: string): Promise<WebhookEvent> {
    const id = headerIn(headers, 'webhook-id')
    const timestamp = headerIn(headers, 'webhook-timestamp')
    const signatures = headerIn(headers, 'webhook-signature')
    const age = Date.now() / 1_000 - Number(timestamp)
    if (!(Math.abs(age) <= TOLERANCE_SECONDS)) {
      throw new HaulWebhookError('The webhook-timestamp is not within five minutes of the time here.')
    }
    const body = typeof rawBody === 'string' ? rawBody : new TextDecoder('utf-8', { ignoreBOM: true }).decode(rawBody)
    const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
    const key = await importSecret(secret)
    const isValid = await Promise.all(
      signatures.split(' ').map(async (entry) => {
        const [version, signature = ''] = entry.split(',')
        const bytes = version === 'v1' ? bytesOf(signature) : null
        // Compares in constant time.
        return bytes !== null && crypto.subtle.verify('HMAC', key, bytes, signed)
      }),
    )
    if (!isValid.includes(true)) throw new HaulWebhookError('The signature of the webhook is not valid.')
    return JSON.parse(body)
  }

  /** The secret that signs the account's webhooks. */
  secret(options: CallOptions = {}): Promise<WebhookSecret> {
    return this.connection.call(options, { path: '/webhooks/secret' })
  }
}

const headerIn = (headers: WebhookHeaders, name: string): string => {
  // Not `instanceof Headers`, because some frameworks have their own.
  const entries = Symbol.iterator in headers ? [...(headers as Headers)] : Object.entries(headers)
  const value = entries.find(([key]) => key.toLowerCase() === name)?.[1]
  if (typeof value !== 'string') throw new HaulWebhookError(`The header ${name} is missing.`)
  return value
}

const importSecret = (secret: string) => {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''))
  if (!bytes?.length) throw new TypeError('The secret is not one of GET /webhooks/secret.')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

/** null: it is not base64. */
const bytesOf = (base64: string): Uint8Array<ArrayBuffer> | null => {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}
