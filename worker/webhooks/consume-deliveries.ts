import { QUEUE_BACKOFF } from '../../domain/limits.ts'
import type { AttemptOutcomeName } from '../../domain/metrics/counted-events.ts'
import { hostOf } from '../../domain/metrics/host.ts'
import { backoffMs } from '../../domain/retry.ts'
import type { DeliveryMessage } from '../account/queue-messages.ts'
import type { ClaimedDelivery, Delivery, DeliveryState } from '../account/webhooks/webhook-delivery.ts'
import { countEvent } from '../metrics/count-event.ts'
import { attemptDelivery } from './attempt-delivery.ts'

/**
 * The consumer of the webhook queue. A message is acknowledged once its attempt is claimed: from then on the account
 * makes sure that the attempt is made. The attempt runs in the background, so that a receiver that hangs does not
 * delay the other webhooks of the batch.
 */
export const consumeDeliveries = async (
  batch: MessageBatch<DeliveryMessage>,
  env: Env,
  ctx: ExecutionContext,
): Promise<void> => {
  await Promise.all(batch.messages.map((message) => consumeDelivery(message, env, ctx)))
}

const consumeDelivery = async (message: Message<DeliveryMessage>, env: Env, ctx: ExecutionContext): Promise<void> => {
  const { accountId, deliveryId } = message.body
  try {
    const claimed = await env.ACCOUNTS.getByName(accountId).claimDelivery(deliveryId)
    if (claimed) ctx.waitUntil(attempt(env, accountId, claimed).catch(logFault(deliveryId)))
    message.ack()
  } catch (cause) {
    logFault(deliveryId)(cause)
    message.retry({ delaySeconds: backoffMs(message.attempts, QUEUE_BACKOFF) / 1_000 })
  }
}

const attempt = async (env: Env, accountId: string, claimed: ClaimedDelivery): Promise<void> =>
  countAttempt(env, accountId, await attemptDelivery(env, accountId, claimed))

const outcomeNames: Record<DeliveryState, AttemptOutcomeName> = {
  delivered: 'delivered',
  failed: 'failed',
  pending: 'retried',
}

const countAttempt = async (env: Env, accountId: string, delivery: Delivery | null): Promise<void> => {
  const subject = delivery?.jobId ?? delivery?.batchId
  if (!delivery || !subject) return
  const { id, type, url, attempts, status, attemptedAt } = delivery
  const outcome = outcomeNames[delivery.state]
  const dead = { accountId, deliveryId: id, jobId: subject, type, host: hostOf(url), attempts, status }
  const failedAt = attemptedAt ?? Date.now()
  await countEvent(
    env,
    accountId,
    { kind: 'webhook attempt', outcome },
    outcome === 'failed' ? { ...dead, failedAt } : null,
  )
}

/** The account resends a lost message by itself. A dead one counts as an attempt, so that the resending ends. */
export const consumeDeadDeliveries = async (batch: MessageBatch<DeliveryMessage>, env: Env): Promise<void> => {
  for (const message of batch.messages) {
    const { accountId, deliveryId } = message.body
    try {
      // Before the account is asked, which may be the reason why the message is dead.
      if (message.attempts === 1) await countEvent(env, accountId, { kind: 'dead letter', queue: 'webhooks-dead' })
      const delivery = await env.ACCOUNTS.getByName(accountId).countDeadLetter(deliveryId)
      await countAttempt(env, accountId, delivery)
      message.ack()
    } catch (cause) {
      logFault(deliveryId)(cause)
      message.retry({ delaySeconds: 60 })
    }
  }
}

const logFault = (deliveryId: string) => (cause: unknown) => console.error('webhook delivery', deliveryId, cause)
