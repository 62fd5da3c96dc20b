import type { AccountRows } from './account-rows.ts'
import type { Scheduler } from './due/scheduler.ts'
import type { AccountFounding } from './entry/account-founding.ts'
import type { OpenStreams } from './events/open-streams.ts'

/** What the acts of an account work with while its object is in memory. */
export interface AccountState {
  rows: AccountRows
  founding: AccountFounding
  streams: OpenStreams
  scheduler: Scheduler
  leaseMs: number
}
