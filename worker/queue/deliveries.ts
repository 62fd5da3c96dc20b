import type { DeliveryMessage } from '../domain/messages.ts'
import type { ClaimedDelivery } from '../domain/webhooks/deliveries.ts'
import { retryDelaySeconds } from './consume.ts'

/** What the queue needs of the others; wiring.ts introduces them. */
export interface DeliveryStages {
  claim(message: DeliveryMessage): Promise<ClaimedDelivery | null>
  /** Makes the attempt and reports it. */
  attempt(accountId: string, claimed: ClaimedDelivery): Promise<unknown>
  miss(message: DeliveryMessage): Promise<void>
}

/**
 * A message is done with when its attempt is claimed: from then on the account sees that it is made. The
 * attempt itself goes on behind the batch, so that a receiver that hangs holds up nobody else's webhook.
 */
export const consumeDeliveries = async (
  batch: MessageBatch<DeliveryMessage>,
  stages: DeliveryStages,
  goOn: (work: Promise<unknown>) => void,
): Promise<void> => {
  await Promise.all(batch.messages.map((message) => consumeDelivery(message, stages, goOn)))
}

const consumeDelivery = async (
  message: Message<DeliveryMessage>,
  stages: DeliveryStages,
  goOn: (work: Promise<unknown>) => void,
): Promise<void> => {
  const { accountId, deliveryId } = message.body
  try {
    const claimed = await stages.claim(message.body)
    if (claimed) goOn(stages.attempt(accountId, claimed).catch(report(deliveryId)))
    message.ack()
  } catch (cause) {
    report(deliveryId)(cause)
    message.retry({ delaySeconds: retryDelaySeconds(message.attempts) })
  }
}

/** The account sends a lost message again by itself; that this one died is counted, so that it can't go on forever. */
export const consumeDeadDeliveries = async (
  batch: MessageBatch<DeliveryMessage>,
  stages: DeliveryStages,
): Promise<void> => {
  for (const message of batch.messages) {
    try {
      await stages.miss(message.body)
      message.ack()
    } catch (cause) {
      report(message.body.deliveryId)(cause)
      message.retry({ delaySeconds: 60 })
    }
  }
}

const report = (deliveryId: string) => (cause: unknown) => console.error('delivery', deliveryId, cause)
