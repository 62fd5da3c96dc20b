import type { OwnLimits } from '../../domain/account/account-limits.ts'
import type { JobKind } from '../../domain/jobs/job.ts'
import { type JobTotals, noTotals } from '../../domain/metrics/job-totals.ts'
import type { Micros } from '../../domain/money/money.ts'
import type { OwnPrices } from '../../domain/money/prices.ts'
import { flag, json, jsonOr, plain, plains, Table } from '../sqlite.ts'
import type { ItemAdmission } from './calls.ts'
import { emptySearch, type SearchState } from './search/search-state.ts'
import type { PollTimes } from './watches/watch-rows.ts'

export interface RetentionPeriod {
  /** The position of its first import. */
  from: string
  days: number
}

export interface KeySpending {
  month: string
  spent: Record<string, Micros>
}

export interface AccountRow {
  readonly id: string
  readonly createdAt: number
  name: string
  /** Nothing new starts; all else goes on. */
  isSuspended: boolean
  limits: OwnLimits
  prices: OwnPrices | null
  retention: RetentionPeriod[]
  keySpending: KeySpending
  /** Web origins that live keys name, sorted. null: no key has ever named one. */
  origins: string[] | null
  balance: Micros
  held: Micros
  /** Batches that have not ended, in the order of their turns. */
  openBatches: OpenBatch[]
  turns: Turn[]
  /** By the ids of watches. */
  polls: Record<string, PollTimes>
  search: SearchState
  /** When media last expired and old jobs were last removed. */
  sweptAt: number
  totals: JobTotals
}

export const accountTable = new Table<AccountRow>('account', {
  ...plains('id', 'createdAt', 'name', 'sweptAt'),
  isSuspended: flag('suspended'),
  limits: json('limits'),
  prices: jsonOr<OwnPrices | null>(null, 'prices'),
  retention: jsonOr<RetentionPeriod[]>([], 'retention'),
  keySpending: jsonOr<KeySpending>({ month: '', spent: {} }, 'key_spending'),
  origins: jsonOr<string[] | null>(null, 'key_origins'),
  balance: plain('balance_micros'),
  held: plain('held_micros'),
  openBatches: json('open_batches'),
  turns: json('batch_turns'),
  polls: jsonOr<AccountRow['polls']>({}, 'polls'),
  search: jsonOr(emptySearch, 'search'),
  totals: jsonOr(noTotals, 'totals'),
})

export interface OpenBatch {
  id: string
  kind: JobKind
  keyId: string
  /** The index of the next item that gets a turn. */
  next: number
  /** How many items it has. 0 before a playlist is listed. */
  items: number
}

/**
 * The work for one message: to list a playlist (`index` null), or to check the URL of an item. The item keeps its turn
 * until a slot is free. Turns are in the account's row, which is written anyway when a job starts or ends.
 */
export interface Turn {
  batchId: string
  kind: JobKind
  index: number | null
  /** Only the first report under it counts. */
  lease: string
  /** When it was handed out. The time of a suspension does not count. */
  since: number
  /** It can be claimed from then on. */
  dueAt: number
  /** When its message is sent, and again until the work is done. */
  messageAt: number
  /** Listings that failed, or checks that failed by our fault. */
  attempts: number
  admission?: ItemAdmission
}
