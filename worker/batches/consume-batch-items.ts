import { requestOfItem } from '../../domain/batches/batch.ts'
import { refusal } from '../../domain/codes/refusals.ts'
import { reuseKeyOf } from '../../domain/jobs/reuse-key.ts'
import type { ItemTask } from '../account/calls.ts'
import type { BatchMessage } from '../account/queue-messages.ts'
import { assessSource } from '../outbound.ts'
import { queueConsumer } from '../queue-consumer.ts'

/**
 * The consumer of the queue of batch items. An item's URL is requested as `POST /import` and `POST /transcribe` do it, and
 * the account starts the item's job when a slot is free. A message is acknowledged once its item is claimed: from then on
 * the account sends it again if the check does not report. The check runs in the background, so that a source that hangs
 * does not delay the other items of the queue.
 */
export const consumeBatchItems = queueConsumer<BatchMessage>(async ({ body }, env, ctx) => {
  const { accountId, batchId, index } = body
  const task = index === null ? null : await env.ACCOUNTS.getByName(accountId).claimItem(batchId, index)
  if (!task) return
  const logFault = (cause: unknown) => console.error('item of a batch', batchId, index, cause)
  ctx.waitUntil(checkItem(env, accountId, task).catch(logFault))
})

/** Another time it may answer, so `POST /batches/{id}/retry` includes the item. */
const { code, message } = refusal('UNREACHABLE_URL')
const unreachable = { code, message, retryable: true }

const checkItem = async (env: Env, accountId: string, task: ItemTask): Promise<void> => {
  const { batchId, index, lease, url, item, reuseWithinSeconds } = task
  const account = env.ACCOUNTS.getByName(accountId)
  const turn = { batchId, index, lease }
  const reuseKey = await reuseKeyOf(requestOfItem(item.request, url))
  if (reuseWithinSeconds > 0 && (await account.reuseItem(turn, reuseKey))) return
  const admission = await assessSource(env, url, item)
  if (admission) await account.admitItem(turn, { ...admission, reuseKey })
  else await account.refuseItem(turn, unreachable)
}
