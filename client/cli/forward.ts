import { createHmac } from 'node:crypto'
import type { HaulEvent } from '../src/index.ts'

/** The service waits for the receiver of a webhook for the same time. */
const TIMEOUT_MS = 15_000

/** The status of the response, or why there was none. */
export type ForwardResult = { status: number } | { problem: string }

/** POSTs an event to a local receiver as its webhook would come. Redirects are not followed, as the service does. */
export const forward = async (
  receiverUrl: string,
  secret: string,
  { id, ...event }: HaulEvent,
  signal: AbortSignal,
): Promise<ForwardResult> => {
  const body = JSON.stringify({ type: event.type, timestamp: event.timestamp, data: event.data })
  const timestampSeconds = Math.floor(Date.now() / 1_000)
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const response = await fetch(receiverUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signedHeaders(secret, { id, timestampSeconds, body }) },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout]),
    })
    await response.body?.cancel()
    return { status: response.status }
  } catch (error) {
    signal.throwIfAborted()
    if (timeout.aborted) return { problem: `no response within ${TIMEOUT_MS / 1_000} s` }
    return { problem: reasonOf(error) }
  }
}

const reasonOf = (error: unknown): string => {
  const { cause } = error as Error
  const { code } = (cause ?? {}) as NodeJS.ErrnoException
  return code === 'ECONNREFUSED' ? 'connection refused' : (code ?? String(cause ?? error))
}

/** Headers of a webhook as Standard Webhooks 1.0 has them. */
const signedHeaders = (
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
