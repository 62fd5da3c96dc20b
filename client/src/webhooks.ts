import type { WebhookEvent, WebhookSecret } from './api-types.ts'
import type { CallOptions } from './options.ts'

/** Headers of a request, as the Fetch API or Node's `http` has them. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>

export class Webhooks {
  /**
   * Resolves with the event if the request is a webhook that Haul has signed with this secret in the last five minutes,
   * and rejects with a `HaulWebhookError` else. It needs the body as it was sent, not parsed, and no API key.
   *
   * ```ts
   * const event = await haul.webhooks.verify(await request.text(), request.headers, secret)
   * if (event.type === 'import.completed') console.log(event.data.result?.mediaUrl)
   * ```
   */
  verify(_rawBody: string | Uint8Array, _headers: WebhookHeaders, _secret: string): Promise<WebhookEvent> {
    throw new Error('not implemented')
  }

  /** The secret that signs the account's webhooks. */
  secret(_options?: CallOptions): Promise<WebhookSecret> {
    throw new Error('not implemented')
  }
}
