import { deliver } from '../delivery/webhooks/deliver.ts'
import { secretOf } from '../delivery/webhooks/secret.ts'
import type { Job } from '../domain/jobs/job.ts'
import type { ClaimedDelivery, Delivery } from '../domain/webhooks/deliveries.ts'
import { configOf, signingKey } from '../env.ts'
import { createOutbound } from '../outbound.ts'
import type { DeliveryStages } from '../queue/deliveries.ts'

type Present = (env: Env, job: Job) => Promise<object>

/**
 * The way of a webhook: the account announces the end of a job, the queue brings the news, the attempt is
 * claimed, made and reported. What comes next, if anything, the account's schedule knows.
 */
export const deliveryStages = (env: Env, present: Present): DeliveryStages => ({
  claim: ({ accountId, deliveryId }) => env.ACCOUNTS.getByName(accountId).claimDelivery(deliveryId),
  attempt: (accountId, claimed) => attemptDelivery(env, present, accountId, claimed),
  miss: ({ accountId, deliveryId }) => env.ACCOUNTS.getByName(accountId).missDelivery(deliveryId),
})

/** The delivery as it stands after the attempt. */
export const attemptDelivery = async (
  env: Env,
  present: Present,
  accountId: string,
  claimed: ClaimedDelivery,
): Promise<Delivery | null> => {
  const desk = {
    outbound: createOutbound(configOf(env)),
    present: (job: Job) => present(env, job),
    secretOf: (seed: string) => webhookSecret(env, accountId, seed),
  }
  const outcome = await deliver(desk, claimed)
  const report = { id: claimed.delivery.id, lease: claimed.lease, outcome }
  return env.ACCOUNTS.getByName(accountId).reportDelivery(report)
}

export const webhookSecret = async (env: Env, accountId: string, seed: string): Promise<string> =>
  secretOf(await signingKey(env, 'webhook-secrets'), accountId, seed)
