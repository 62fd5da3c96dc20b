import { DurableObject } from 'cloudflare:workers'
import { AccountRows } from './account-rows.ts'
import { Clockwork } from './clockwork/clockwork.ts'
import type { OutboxTargets } from './clockwork/outbox.ts'
import { AccountFounding, type FindNewAccount } from './entry/account-founding.ts'
import { AuthenticatedRequests } from './entry/authenticated-request.ts'
import { OpenStreams } from './events/open-streams.ts'

/** What the account's methods work with while the object is in memory. */
export interface AccountState {
  rows: AccountRows
  founding: AccountFounding
  requests: AuthenticatedRequests
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

/** The state is one field and has no helper methods, because every method on the prototype is callable over RPC. */
export abstract class AccountWithState extends DurableObject<Env> {
  protected readonly state: AccountState

  constructor(ctx: DurableObjectState, env: Env, options: AccountOptions) {
    super(ctx, env)
    const { outboxTargets, findNewAccount, leaseMs, historyMs } = options
    const rows = new AccountRows(ctx.storage.sql)
    const founding = new AccountFounding(ctx, rows, findNewAccount)
    const clockwork = new Clockwork(ctx, rows, outboxTargets)
    const requests = new AuthenticatedRequests(rows, clockwork, founding)
    this.state = { rows, founding, requests, streams: new OpenStreams(), clockwork, leaseMs, historyMs }
  }
}
