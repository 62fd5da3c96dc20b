import { requestOfItem } from '../../domain/batches/batch.ts'
import { refusal } from '../../domain/codes/refusals.ts'
import { mayBeReused, reuseKeyOf } from '../../domain/jobs/reuse-key.ts'
import type { ItemTask } from '../account/calls.ts'
import type { TurnMessage } from '../account/queue-messages.ts'
import { defaultModelOf } from '../fleet/offered-models.ts'
import { assessSource, Unchecked } from '../outbound.ts'

/** Resolves when the item is claimed: from then on the account sends its message again if the check does not report. */
export const checkItem = async (
  env: Env,
  ctx: ExecutionContext,
  { accountId, batchId, index }: TurnMessage & { index: number },
): Promise<void> => {
  const task = await env.ACCOUNTS.getByName(accountId).claimItem(batchId, index)
  if (task) ctx.waitUntil(checkSourceOrFail(env, accountId, task))
}

/** Another time it may answer, so `POST /batches/{id}/retry` includes the item. */
const { code, message } = refusal('UNREACHABLE_URL')
const unreachable = { code, message, retryable: true }

/** If no container answers, the item waits: nothing is known of it. Its message is sent again after a minute. */
const checkSourceOrFail = async (env: Env, accountId: string, task: ItemTask): Promise<void> => {
  const { batchId, index, lease } = task
  const logFault = (cause: unknown) => console.error('item of a batch', batchId, index, cause)
  try {
    await checkSource(env, accountId, task)
  } catch (cause) {
    logFault(cause)
    if (cause instanceof Unchecked) return
    await env.ACCOUNTS.getByName(accountId).failCheck({ batchId, index, lease }).catch(logFault)
  }
}

const checkSource = async (env: Env, accountId: string, task: ItemTask): Promise<void> => {
  const { batchId, index, lease, url, linked, item, reuseWithinSeconds, needsDefaultModel } = task
  const account = env.ACCOUNTS.getByName(accountId)
  const turn = { batchId, index, lease }
  const request = requestOfItem(item.request, { url, linked })
  const reuseKey = await reuseKeyOf(request)
  if (reuseWithinSeconds > 0 && mayBeReused(request) && (await account.reuseItem(turn, reuseKey))) return
  const admission = await assessSource(env, url, item)
  const defaultModel = needsDefaultModel ? await defaultModelOf(env, accountId) : null
  if (admission)
    await account.admitItem(turn, { ...admission, reuseKey, ...(defaultModel !== null && { defaultModel }) })
  else await account.refuseItem(turn, unreachable)
}
