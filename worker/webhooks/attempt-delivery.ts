import { retryAfterMs } from '../../domain/retry.ts'
import {
  type AttemptError,
  type AttemptOutcome,
  type ClaimedDelivery,
  type Delivery,
  interrupted,
  TEST_EVENT,
} from '../account/webhooks/webhook-delivery.ts'
import { configOf, signingKey } from '../env.ts'
import { eventJson, presentEvent } from '../media/present.ts'
import { createOutbound, Forbidden, type Outbound } from '../outbound.ts'
import { secretOf, signedHeaders, type WebhookBody } from './sign.ts'

/** Resolves with the delivery as it is after the attempt. */
export const attemptDelivery = async (
  env: Env,
  accountId: string,
  claimed: ClaimedDelivery,
): Promise<Delivery | null> => {
  const { delivery, lease } = claimed
  const outcome = await post(env, accountId, claimed).catch((cause): AttemptOutcome => {
    console.error('webhook', delivery.id, cause)
    return interrupted
  })
  return env.ACCOUNTS.getByName(accountId).reportDelivery({ id: delivery.id, lease, outcome })
}

/** Whatever happens to the request is an outcome. What is thrown is our own fault. */
const post = async (
  env: Env,
  accountId: string,
  { delivery, job, batch, data, seeds }: ClaimedDelivery,
): Promise<AttemptOutcome> => {
  const body = await webhookBodyOf(env, accountId, delivery, { job, batch, data })
  const secrets = await Promise.all(seeds.map((seed) => webhookSecret(env, accountId, seed)))
  const message = { id: delivery.id, timestampSeconds: Math.floor(Date.now() / 1000), body }
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Haul-Webhooks/1.0',
    ...(await signedHeaders(secrets, message)),
  }
  return postOnce(createOutbound(configOf(env)), delivery.url, { headers, body })
}

export const webhookSecret = async (env: Env, accountId: string, seed: string): Promise<string> =>
  secretOf(await signingKey(env, 'webhook-secrets'), accountId, seed)

const TIMEOUT_MS = 15_000

export const postOnce = async (
  outbound: Outbound,
  url: string,
  { headers, body }: { headers: Record<string, string>; body: WebhookBody },
): Promise<AttemptOutcome> => {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const response = await outbound.fetch(new URL(url), { method: 'POST', headers, body, signal })
    return {
      status: response.status,
      responseBody: await excerptOf(response),
      attemptError: errorOf(response.status),
      retryAfterMs: retryAfterMs(response.headers.get('retry-after'), Date.now()),
    }
  } catch (cause) {
    const timedOutOrBroken = signal.aborted ? 'TIMED_OUT' : 'CONNECTION_FAILED'
    const attemptError = cause instanceof Forbidden ? 'ADDRESS_NOT_PUBLIC' : timedOutOrBroken
    return { ...interrupted, attemptError }
  }
}

/** Built for each attempt. A job does not change after its end, so the bytes are the same, unless media was removed. */
const webhookBodyOf = async (
  env: Env,
  accountId: string,
  { type, createdAt }: Delivery,
  { job, batch, data }: Pick<ClaimedDelivery, 'job' | 'batch' | 'data'>,
): Promise<WebhookBody> => {
  const json =
    type === TEST_EVENT
      ? JSON.stringify(eventJson(type, createdAt, testData))
      : await presentEvent(env, accountId, { type, at: createdAt, job, batch, data })
  // Read to its end, because its signature is sent before it.
  return typeof json === 'string' ? json : new Uint8Array(await new Response(json).arrayBuffer())
}

const testData = { message: 'This is a test webhook. No job has ended.' }

const errorOf = (status: number): AttemptError | null => {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? 'REDIRECTED' : 'REFUSED'
}

const MAX_READ_BYTES = 64 * 1024
const MAX_EXCERPT_BYTES = 1024

/** Up to 64 KiB are read and discarded, so that the connection can be reused. */
const excerptOf = async ({ body }: Response): Promise<string> => {
  const kept = new Uint8Array(MAX_EXCERPT_BYTES)
  let sizeBytes = 0
  try {
    for await (const chunk of body ?? []) {
      if (sizeBytes < MAX_EXCERPT_BYTES) kept.set(chunk.subarray(0, MAX_EXCERPT_BYTES - sizeBytes), sizeBytes)
      sizeBytes += chunk.byteLength
      if (sizeBytes >= MAX_READ_BYTES) break
    }
  } catch {
    // The status has arrived, which is what counts.
  }
  // `stream` drops a character that was cut in half.
  return new TextDecoder().decode(kept.subarray(0, Math.min(sizeBytes, MAX_EXCERPT_BYTES)), { stream: true })
}
