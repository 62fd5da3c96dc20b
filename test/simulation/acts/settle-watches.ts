import type { Account } from '../actors/caller.ts'
import { operate } from '../actors/operator.ts'
import type { WatchedLists } from '../actors/watched-lists.ts'
import type { World } from '../world.ts'

/** What callers and operators do when nothing fails any more, so that watches take what they have missed. */
export interface Settling {
  world: World
  accounts: readonly Account[]
  lists: WatchedLists
  pass(ms: number): Promise<void>
}

interface WatchFacts {
  watchId: string
  status: string
  code: string | null
  lastPollAt: string | null
  failures: number
}

const MINUTE = 60_000
const ROUNDS = 8
/** After so many rounds an hour passes: then an account has free work again. */
const ROUNDS_AT_ONCE = 5
/** What is tried again later than this still waits when the history ends. */
export const SOON_MS = 40 * MINUTE

export const haveWatches = (settling: Settling): boolean => sum(settling, 'SELECT count(*) AS value FROM watches') > 0

/** Every watch runs, and has read its list since everything works. */
export const settleWatches = async (settling: Settling): Promise<void> => {
  const { world, accounts, lists, pass } = settling
  lists.heal()
  for (const account of accounts) await world.perform(world.caller('operator'), () => enrich(world, account))
  const since = world.clock.now
  for (let round = 0; round < ROUNDS; round++) {
    let left = 0
    for (const account of accounts) left += await world.perform(account.owner, () => settleOf(account, since))
    if (left === 0) return
    await pass(round === ROUNDS_AT_ONCE ? 61 * MINUTE : MINUTE + 5_000)
  }
}

/** Nothing waits any more that could be taken now or soon. */
export const areWatchesQuiet = (settling: Settling): boolean =>
  sum(
    settling,
    `SELECT count(*) AS value FROM watch_items JOIN watches ON watches.id = watch_id
      WHERE state IN ('waiting', 'unmeasured') AND settings ->> 'item' IS NOT NULL AND pause IS NULL
        AND coalesce(next_at, 0) < ?`,
    settling.world.clock.now + SOON_MS,
  ) === 0

export const pauseWatches = async ({ world, accounts }: Settling): Promise<void> => {
  for (const account of accounts) {
    await world.perform(account.owner, async () => {
      for (const { watchId } of await watchesOf(account)) {
        await account.ask('PATCH', `/watches/${watchId}`, { body: { paused: true } })
      }
    })
  }
}

const sum = ({ world, accounts }: Settling, query: string, ...bindings: unknown[]): number =>
  accounts.reduce((total, { id }) => {
    const sql = world.namespaces.ACCOUNTS.storage(id)?.sqlDatabase
    return total + Number(sql?.exec(query, ...bindings).toArray()[0]?.value ?? 0)
  }, 0)

const enrich = async (world: World, { id }: Account): Promise<void> => {
  await operate(world, 'PATCH', `/admin/accounts/${id}`, { prices: null, suspended: false })
  await operate(world, 'POST', `/admin/accounts/${id}/credits`, { amountDollars: 200, reference: 'settled' })
}

const watchesOf = async (account: Account): Promise<WatchFacts[]> => {
  const answer = await account.ask('GET', '/watches?limit=100')
  return ((answer?.body.data ?? {}) as { watches?: WatchFacts[] }).watches ?? []
}

/** How many watches have not read their list yet. */
const settleOf = async (account: Account, since: number): Promise<number> => {
  let left = 0
  for (const { watchId, status, code, lastPollAt, failures } of await watchesOf(account)) {
    if (status === 'paused') {
      const ceiling = code === 'MAX_COST_EXCEEDED' ? { maxCostDollarsPerMonth: null } : {}
      await account.ask('PATCH', `/watches/${watchId}`, { body: { paused: false, ...ceiling } })
    }
    const isRead = failures === 0 && lastPollAt !== null && Date.parse(lastPollAt) > since + MINUTE
    if (isRead && status === 'active') continue
    left += 1
    await account.ask('POST', `/watches/${watchId}/poll`)
  }
  return left
}
