import type { AccountRows } from '../account-rows.ts'
import type { Targets } from './targets.ts'

/**
 * Something that an account does at a time: it sends a message, writes to D1 or to R2, or changes its own rows. What
 * every job and every turn has to do follows from their rows (jobs/due-of-jobs.ts, batches/due-of-batches.ts). All else is a
 * row of the table `due`, written in the transaction that causes it. So what a transaction decided is always done, and
 * what was rolled back never. Every message may be sent twice.
 */
export interface Due {
  /** Names what is to be done. After a change of its job or turn something else is to be done, with another key. */
  key: string
  at: number
  lane: Lane
  /** `attempt`: counts from 1. */
  run(attempt: number): Promise<Again>
  /** Failed attempts, if they are stored. */
  failures?: number
  /** Stores when it is due again, or that it is not (`never`). Without it, the scheduler remembers it in memory. */
  keep?(nextAt: number, failures: number): void
}

/** When it is due again. Nothing: it is done. */
// biome-ignore lint/suspicious/noConfusingVoidType: most have no other time, so they return nothing.
export type Again = number | void

/** What `run` works with. */
export interface DueContext {
  rows: AccountRows
  targets: Targets
  /** Runs a transaction. */
  act<T>(rule: (now: number) => T): T
  /** When something is due next, apart from what has this key. null: never. */
  nextAt(exceptKey: string): number | null
}

/** No lane waits for another: D1, R2 and a queue may hang. */
export type Lane = keyof typeof widths

/**
 * How many of a lane run at once. An object may have six connections open, to queues and to R2; calls of D1 and of other objects
 * are no connections. `media` and `lists` keep their order: the mark of removed media is written before it is removed.
 */
export const widths = {
  /** Transactions on the account's own rows. They run in the alarm. */
  acts: 1,
  steps: 3,
  messages: 2,
  media: 1,
  lists: 1,
  records: 6,
  /** Not guarded by the alarm: the cron asks again. */
  reports: 1,
  /** No alarm is set for these: see reports.ts. */
  notes: 1,
} as const

export const never = Number.POSITIVE_INFINITY
