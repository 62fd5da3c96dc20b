import { AccountRows } from './account-rows.ts'
import { Clockwork } from './clockwork/clockwork.ts'
import type { OutboxTargets } from './clockwork/outbox.ts'
import { AccountFounding, type FindNewAccount } from './entry/account-founding.ts'
import { OpenStreams } from './events/open-streams.ts'

/** What the acts of an account work with while its object is in memory. */
export interface AccountState {
  rows: AccountRows
  founding: AccountFounding
  streams: OpenStreams
  clockwork: Clockwork
  leaseMs: number
  historyMs: number
}

export interface AccountOptions {
  outboxTargets: OutboxTargets
  findNewAccount: FindNewAccount
  leaseMs: number
  /** How long ended jobs are kept, and the entries of the ledger before they are added up by month. */
  historyMs: number
}

export const accountState = (ctx: DurableObjectState, options: AccountOptions): AccountState => {
  const { outboxTargets, findNewAccount, leaseMs, historyMs } = options
  const rows = new AccountRows(ctx.storage.sql)
  const founding = new AccountFounding(ctx, rows, findNewAccount)
  const clockwork = new Clockwork(ctx, rows, outboxTargets)
  return { rows, founding, clockwork, streams: new OpenStreams(), leaseMs, historyMs }
}
