import { requestOfItem } from '../../domain/batches/batch.ts'
import { failure, failureOfCode } from '../../domain/codes/failures.ts'
import { refusal } from '../../domain/codes/refusals.ts'
import { reuseKeyOf } from '../../domain/jobs/reuse-key.ts'
import { CONTAINER_DOWN_RETRY_MS } from '../../domain/limits.ts'
import type { ItemTask } from '../account/calls.ts'
import type { BatchMessage } from '../account/queue-messages.ts'
import { lookUp } from '../fleet/lookups.ts'
import { assessSource, Unchecked } from '../outbound.ts'
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
  ctx.waitUntil(checkItemOrFail(env, accountId, task))
})

/** Another time it may answer, so `POST /batches/{id}/retry` includes the item. */
const { code, message } = refusal('UNREACHABLE_URL')
const unreachable = { code, message, retryable: true }

/** If no container answers, the item waits: nothing is known of it. Its message is sent again after a minute. */
const checkItemOrFail = async (env: Env, accountId: string, task: ItemTask): Promise<void> => {
  const { batchId, index, lease } = task
  const logFault = (cause: unknown) => console.error('item of a batch', batchId, index, cause)
  try {
    await checkItem(env, accountId, task)
  } catch (cause) {
    logFault(cause)
    if (cause instanceof Unchecked) return
    await env.ACCOUNTS.getByName(accountId).failCheck({ batchId, index, lease }).catch(logFault)
  }
}

const checkItem = async (env: Env, accountId: string, task: ItemTask): Promise<void> => {
  const { batchId, index, lease, url, linked, item, reuseWithinSeconds } = task
  const account = env.ACCOUNTS.getByName(accountId)
  const turn = { batchId, index, lease }
  const reuseKey = await reuseKeyOf(requestOfItem(item.request, { url, linked }))
  if (reuseWithinSeconds > 0 && (await account.reuseItem(turn, reuseKey))) return
  const admission = await assessSource(env, url, item)
  if (admission) await account.admitItem(turn, { ...admission, reuseKey })
  else await account.refuseItem(turn, unreachable)
}

/** Includes the wait for a place. A channel of 500 videos takes several requests to its platform. */
const LISTING_TIMEOUT_MS = 120_000

const busy = failure('INTERNAL', 'The service was too busy to read the playlist.')

/**
 * Reads the playlist of a batch in a container. The entries become the items of the batch. If there is no place, or the
 * container is gone, the account tries again later.
 */
export const listPlaylist = async (env: Env, { accountId, batchId }: BatchMessage): Promise<unknown> => {
  const account = env.ACCOUNTS.getByName(accountId)
  const task = await account.claimListing(batchId)
  if (!task) return
  const { lease, url, limit } = task
  const listed = await lookUp(
    env,
    'list',
    { accountId, by: { batchId }, url, timeoutMs: LISTING_TIMEOUT_MS },
    (engine, order) => engine.list({ ...order, limit }),
  ).catch((cause) => {
    console.error('the playlist could not be listed', batchId, cause)
    return 'busy' as const
  })
  if (listed === 'busy') {
    return account.failListing({ batchId, lease }, busy, { retryAfterMs: CONTAINER_DOWN_RETRY_MS })
  }
  if (listed.status === 'failed') {
    return account.failListing({ batchId, lease }, failureOfCode(listed.code, listed.message))
  }
  const { title, items } = listed
  const found = items.map(({ url, title, linked }) => ({ url, title, linked }))
  return account.finishListing({ batchId, lease }, { title, items: found })
}
