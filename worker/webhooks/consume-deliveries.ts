import { QUEUE_BACKOFF } from '../../domain/limits.ts'
import { backoffMs } from '../../domain/retry.ts'
import type { DeliveryMessage } from '../account/queue-messages.ts'
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
    if (claimed) ctx.waitUntil(attemptDelivery(env, accountId, claimed).catch(logFault(deliveryId)))
    message.ack()
  } catch (cause) {
    logFault(deliveryId)(cause)
    message.retry({ delaySeconds: backoffMs(message.attempts, QUEUE_BACKOFF) / 1_000 })
  }
}

/** The account resends a lost message by itself. A dead one counts as an attempt, so that the resending ends. */
export const consumeDeadDeliveries = async (batch: MessageBatch<DeliveryMessage>, env: Env): Promise<void> => {
  for (const message of batch.messages) {
    const { accountId, deliveryId } = message.body
    try {
      await env.ACCOUNTS.getByName(accountId).countDeadLetter(deliveryId)
      message.ack()
    } catch (cause) {
      logFault(deliveryId)(cause)
      message.retry({ delaySeconds: 60 })
    }
  }
}

const logFault = (deliveryId: string) => (cause: unknown) => console.error('webhook delivery', deliveryId, cause)
