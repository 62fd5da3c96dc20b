import type { WebhookEvent, WebhookSecret } from './api-types.ts'
import type { Connection } from './http/connection.ts'
import type { CallOptions } from './options.ts'
import { verifyWebhook, type WebhookHeaders } from './verify-webhook.ts'

export class Webhooks {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /**
   * Resolves with the event if Haul has signed the request with this secret in the last five minutes, and rejects with
   * a `HaulWebhookError` otherwise. It needs the body as it was sent, not parsed, and no API key.
   *
   * ```ts
   * const event = await haul.webhooks.verify(await request.text(), request.headers, secret)
   * if (event.type === 'import.completed') console.log(event.data.result?.mediaUrl)
   * ```
   */
  verify(rawBody: string | Uint8Array, headers: WebhookHeaders, secret: string): Promise<WebhookEvent> {
    return verifyWebhook(rawBody, headers, secret)
  }

  /** The secret that signs the account's webhooks. */
  secret(options: CallOptions = {}): Promise<WebhookSecret> {
    return this.#connection.call(options, { path: '/webhooks/secret' })
  }
}
