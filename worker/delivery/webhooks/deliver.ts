import type { Job } from '../../domain/jobs/job.ts'
import { isoTime } from '../../domain/jobs/view.ts'
import type { ClaimedDelivery, Delivery, Outcome } from '../../domain/webhooks/deliveries.ts'
import type { Outbound } from '../../outbound.ts'
import { attempt } from './attempt.ts'
import { signedHeaders } from './sign.ts'

/** What a delivery needs of the others; wiring.ts introduces them. */
export interface Desk {
  outbound: Outbound
  /** What the status endpoint answers. */
  present(job: Job): Promise<object>
  secretOf(seed: string): Promise<string>
}

/**
 * Makes the one attempt that was claimed. The body is made of the job each time: a job that has ended does
 * not change, and its links are signatures over what does not change either, so retries send the same
 * bytes. What does change is the timestamp, and with it the signature.
 */
export const deliver = async (desk: Desk, { delivery, job, seeds }: ClaimedDelivery): Promise<Outcome> => {
  try {
    const body = await bodyOf(desk, delivery, job)
    const secrets = await Promise.all(seeds.map(desk.secretOf))
    const envelope = { id: delivery.id, timestampSeconds: Math.floor(Date.now() / 1000), body }
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Haul-Webhooks/1.0',
      ...(await signedHeaders(secrets, envelope)),
    }
    return await attempt(desk.outbound, delivery.url, { headers, body })
  } catch (cause) {
    console.error('webhook', delivery.id, cause)
    return { status: null, answer: null, mishap: 'INTERRUPTED', retryAfterMs: null }
  }
}

const bodyOf = async (desk: Desk, { type, createdAt }: Delivery, job: Job | null): Promise<string> => {
  const data = job ? await desk.present(job) : { message: 'This is a test. Nothing happened.' }
  return JSON.stringify({ type, timestamp: isoTime(createdAt), data })
}
