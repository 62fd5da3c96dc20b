import { hostOf } from '../../domain/metrics/account-report.ts'
import type { DeliveryMessage } from '../account/queue-messages.ts'
import type { Delivery } from '../account/webhooks/webhook-delivery.ts'
import { countEvent } from '../metrics/metrics-of.ts'
import { deadLetterConsumer, queueConsumer } from '../queue-consumer.ts'
import { attemptDelivery } from './attempt-delivery.ts'

/**
 * A message is acknowledged once its attempt is claimed: from then on the account sends it again if needed. The
 * attempt runs in the background, so that a receiver that hangs delays no other webhook.
 */
export const consumeDeliveries = queueConsumer<DeliveryMessage>(async ({ body }, env, ctx) => {
  const { accountId, deliveryId } = body
  const claimed = await env.ACCOUNTS.getByName(accountId).claimDelivery(deliveryId)
  if (!claimed) return
  const attempt = async () => countAttempt(env, accountId, await attemptDelivery(env, accountId, claimed))
  ctx.waitUntil(attempt().catch((cause) => console.error('webhook delivery', deliveryId, cause)))
})

const countAttempt = async (env: Env, accountId: string, delivery: Delivery | null): Promise<void> => {
  const subject = delivery?.jobId ?? delivery?.batchId
  if (!delivery || !subject) return
  const { id, type, url, attempts, status, attemptedAt } = delivery
  const outcome = delivery.state === 'pending' ? 'retried' : delivery.state
  const dead = { accountId, deliveryId: id, jobId: subject, type, host: hostOf(url), attempts, status }
  const failedAt = attemptedAt ?? Date.now()
  await countEvent(env, `webhook attempts ${outcome}`, {
    deadWebhook: outcome === 'failed' ? { ...dead, failedAt } : null,
  })
}

/** The account resends a lost message by itself. A dead one counts as an attempt, so that the resending ends. */
export const consumeDeadDeliveries = deadLetterConsumer<DeliveryMessage>(
  'webhooks-dead',
  async ({ accountId, deliveryId }, env) =>
    countAttempt(env, accountId, await env.ACCOUNTS.getByName(accountId).countDeadLetter(deliveryId)),
)
