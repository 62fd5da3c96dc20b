import { DurableObject } from 'cloudflare:workers'
import { Clockwork } from './clockwork/clockwork.ts'
import type { OutboxTargets } from './clockwork/outbox.ts'
import { AuthenticatedRequests, readAccount } from './entry/authenticated-request.ts'
import { RateLimitWindows } from './entry/rate-limit.ts'
import { JobWatchers } from './jobs/job-watchers.ts'
import { migrate } from './sqlite.ts'

/** What the account's methods work with while the object is in memory. */
export interface AccountState {
  sql: SqlStorage
  requests: AuthenticatedRequests
  watchers: JobWatchers
  clockwork: Clockwork
  leaseMs: number
}

export interface AccountOptions {
  outboxTargets: OutboxTargets
  leaseMs: number
}

/** The state is one field and has no helper methods, because every method on the prototype is callable over RPC. */
export abstract class AccountWithState extends DurableObject<Env> {
  protected readonly state: AccountState

  constructor(ctx: DurableObjectState, env: Env, { outboxTargets, leaseMs }: AccountOptions) {
    super(ctx, env)
    const { sql } = ctx.storage
    ctx.storage.transactionSync(() => migrate(sql))
    const clockwork = new Clockwork(ctx, outboxTargets, () => readAccount(sql).id)
    const requests = new AuthenticatedRequests(sql, new RateLimitWindows(sql), clockwork)
    this.state = { sql, requests, watchers: new JobWatchers(Date.now()), clockwork, leaseMs }
  }
}
