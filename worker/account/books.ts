import { DurableObject } from 'cloudflare:workers'
import { Clockwork } from './clockwork/clockwork.ts'
import type { Carriers } from './clockwork/postman.ts'
import { Gate } from './entry/gate.ts'
import { identity } from './entry/identity.ts'
import { Windows } from './entry/windows.ts'
import { Watch } from './jobs/watch.ts'
import { migrate } from './schema.ts'

/** What an account works with while its object is awake. */
export interface Books {
  sql: SqlStorage
  gate: Gate
  watch: Watch
  clockwork: Clockwork
  leaseMs: number
}

export interface AccountOptions {
  carriers: Carriers
  leaseMs: number
}

/**
 * The ground that the object's three faces stand on: for operators, for callers, for work. A field, not
 * methods: what stands on the prototype could be called over RPC.
 */
export abstract class AccountBooks extends DurableObject<Env> {
  protected readonly books: Books

  constructor(ctx: DurableObjectState, env: Env, { carriers, leaseMs }: AccountOptions) {
    super(ctx, env)
    const { sql } = ctx.storage
    ctx.storage.transactionSync(() => migrate(sql))
    const clockwork = new Clockwork(ctx, carriers, () => identity(sql).id)
    const gate = new Gate(sql, new Windows(sql), clockwork)
    this.books = { sql, gate, watch: new Watch(Date.now()), clockwork, leaseMs }
  }
}
