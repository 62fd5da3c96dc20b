import { failure, failureOfCode } from '../../domain/codes/failures.ts'
import { CONTAINER_DOWN_RETRY_MS } from '../../domain/limits.ts'
import type { TurnMessage } from '../account/queue-messages.ts'
import { lookUp } from '../fleet/lookups.ts'

/** Includes the wait for a place. A channel of 500 videos takes several requests to its platform. */
const LISTING_TIMEOUT_MS = 120_000

const busy = failure('INTERNAL', 'The service was too busy to read the playlist.')

export const listPlaylist = async (env: Env, { accountId, batchId }: TurnMessage): Promise<unknown> => {
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
