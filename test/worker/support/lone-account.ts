import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { Terms } from '../../../domain/account/terms.ts'
import { newId } from '../../../domain/ids.ts'
import type { ServiceName } from '../../../domain/jobs/providers.ts'
import type { Micros } from '../../../domain/money/money.ts'
import { AccountBase, type AccountOptions } from '../../../worker/account/account-object.ts'
import type { RequestIdentity } from '../../../worker/account/calls.ts'
import { emptyIndex } from '../../../worker/account/search/search-state.ts'
import { configOf } from '../../../worker/env.ts'

/** The product's account; only its messages arrive nowhere. */
class AccountAlone extends AccountBase {}

export interface LoneAccount {
  account: AccountBase
  sql: SqlStorage
  identity: RequestIdentity & { rateClass: 'import' }
  /** When the alarm was last set for. */
  alarmAt(): number
  /** The account as it is when it is called again after an eviction, or after a deployment with other terms. */
  evicted(terms?: Partial<Terms>): Promise<AccountBase>
}

const delivered = async (): Promise<void> => {}

const nowhere: AccountOptions['targets'] = {
  sendStep: delivered,
  sendCleanup: delivered,
  sendDelivery: delivered,
  sendTurn: delivered,
  sendPolls: delivered,
  recordJob: delivered,
  recordAccount: delivered,
  report: delivered,
  noteHeld: delivered,
  removeJobs: delivered,
  discardMedia: delivered,
  updateWords: async () => emptyIndex,
  emptyWords: delivered,
  withholdMedia: delivered,
}

/**
 * An account in an object of the runtime, with its database, but without what its messages start in queues, D1, R2 and the
 * metrics, which are most of the work. No alarm runs unless the test runs it.
 */
export const withLoneAccount = async (
  credit: Micros,
  act: (lone: LoneAccount) => Promise<void>,
  targets: Partial<AccountOptions['targets']> = {},
): Promise<void> => {
  const id = newId('account', Date.now())
  const keyHash = 'a'.repeat(64)
  const key = { id: newId('key', Date.now()), hash: keyHash }
  const found = { id, name: 'test', createdAt: Date.now(), key, credit }
  await runInDurableObject(env.ACCOUNTS.getByName(id), async (_, ctx) => {
    const { storage } = ctx
    let alarmAt = Number.NaN
    storage.setAlarm = async (at) => {
      alarmAt = Number(at)
    }
    let unfinished: Promise<unknown>[] = []
    ctx.waitUntil = (promise) => void unfinished.push(promise)
    const { LEASE_MS: leaseMs, historyMs, terms } = configOf(env)
    const serviceOf = (): ServiceName => 'openai'
    const findNewAccount = async () => found
    const options = { targets: { ...nowhere, ...targets }, findNewAccount, serviceOf, leaseMs, historyMs }
    const open = (changed: Partial<Terms> = {}) =>
      new AccountAlone(ctx, env, { ...options, terms: { ...terms, ...changed } })
    const evicted = async (changed?: Partial<Terms>) => {
      await Promise.all(unfinished)
      unfinished = []
      return open(changed)
    }
    const account = open()
    const identity = { keyHash, rateClass: 'import', endpoint: '/import', needs: [] } as const
    // The first call makes the account, with its credit.
    await account.summary({ ...identity, rateClass: 'general' })
    await act({ account, sql: storage.sql, identity, alarmAt: () => alarmAt, evicted })
    await Promise.all(unfinished)
  })
}
