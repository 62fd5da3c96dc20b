import { vi } from 'vitest'
import type { AccountClient } from './api-client.ts'

/** A webhook delivery as the API shows it to its account. */
export interface Delivery {
  id: string
  jobId: string
  status: string
  attempts: number
  responseStatus: number | null
  responseBody: string | null
  error: string | null
  nextAttemptAt: string | null
  lastAttemptAt: string
}

export const deliveriesOf = async (client: AccountClient, query = ''): Promise<Delivery[]> =>
  (await client.get<{ deliveries: Delivery[] }>(`/webhooks/deliveries?limit=100${query}`)).deliveries

export const deliveryOf = async (client: AccountClient, jobId: string): Promise<Delivery> => {
  const [delivery] = await deliveriesOf(client, `&jobId=${jobId}`)
  if (!delivery) throw new Error(`no delivery for ${jobId}`)
  return delivery
}

/** Longer than the 15 seconds after which an attempt times out. */
const REPORTED_TIMEOUT_MS = 25_000

/** The delivery once its attempt is reported, which is shortly after the receiver got the request. */
export const reported = (client: AccountClient, jobId: string, attempts = 1): Promise<Delivery> =>
  vi.waitUntil(
    async () => {
      const delivery = await deliveryOf(client, jobId)
      const isReported = delivery.status !== 'pending' || delivery.nextAttemptAt !== null
      return delivery.attempts >= attempts && isReported ? delivery : null
    },
    { timeout: REPORTED_TIMEOUT_MS, interval: 50 },
  )
