import type { AccountRows } from '../account-rows.ts'
import type { DueKind, DueRow } from './due-rows.ts'
import type { Targets } from './targets.ts'

/** A row of `due` is written in the transaction that causes it, so nothing is lost. Messages may be sent twice. */
export interface Kind {
  lane: Lane
  /** `attempt`: counts from 1, since the row was scheduled. */
  run(context: DueContext, row: DueRow, attempt: number): Promise<Again>
}

export type Kinds = Record<DueKind, Kind>

/** When it is due again. Nothing: it is done. */
// biome-ignore lint/suspicious/noConfusingVoidType: most have no other time, so they return nothing.
export type Again = number | void

export interface DueContext {
  rows: AccountRows
  targets: Targets
  act<T>(rule: (now: number) => T): T
}

/** No lane waits for another: D1, R2 and a queue may hang. */
export type Lane = keyof typeof widths

/**
 * How many of a lane run at once. An object may have six connections open, to queues and to R2. `media` and `lists`
 * keep their order: the mark of removed media is written before it is removed. What an index has of a job is read from the
 * account again when it has changed, so `words` need no order; one at a time leaves the object to those who search.
 */
export const widths = {
  acts: 1,
  steps: 3,
  messages: 2,
  media: 1,
  lists: 1,
  records: 6,
  words: 1,
} as const
