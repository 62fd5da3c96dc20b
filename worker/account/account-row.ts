import type { OwnLimits, RateClass } from '../../domain/account-limits.ts'
import { type JobTotals, noTotals } from '../../domain/metrics/job-totals.ts'
import type { Micros } from '../../domain/money/money.ts'
import type { OwnPrices } from '../../domain/money/prices.ts'
import { flag, json, jsonOr, plain, Table } from '../sqlite.ts'
import type { OpenBatch, Turn } from './batches/open-batch.ts'

/** See jobs/retention.ts. */
export interface RetentionPeriod {
  /** The position of its first import: see domain/ids.ts. */
  from: string
  days: number
}

/** What jobs of keys were charged in a month: see keys/budgets.ts. */
export interface KeySpending {
  month: string
  /** By the id of the key. */
  spent: Record<string, Micros>
}

export interface AccountRow {
  readonly id: string
  readonly createdAt: number
  name: string
  /** Nothing new starts; all else goes on. */
  isSuspended: boolean
  limits: OwnLimits
  /** null: the deployment's. */
  prices: OwnPrices | null
  retention: RetentionPeriod[]
  keySpending: KeySpending
  /** Web origins that live keys name, sorted. null: no key has ever named one. */
  origins: string[] | null
  balance: Micros
  held: Micros
  /** Jobs that are live, or whose row in D1 is out of date. */
  openJobs: string[]
  /** Webhook deliveries whose first attempt has not ended. */
  newDeliveries: string[]
  /** Batches that have not ended, in the order of their turns. */
  openBatches: OpenBatch[]
  turns: Turn[]
  /** When media next expires or old jobs are removed. null: there are no jobs. */
  sweepAt: number | null
  totals: JobTotals
}

export const accountTable = new Table<AccountRow>('account', {
  id: plain('id'),
  createdAt: plain('created_at'),
  name: plain('name'),
  isSuspended: flag('suspended'),
  limits: json('limits'),
  prices: jsonOr<OwnPrices | null>(null, 'prices'),
  retention: jsonOr<RetentionPeriod[]>([], 'retention'),
  keySpending: jsonOr<KeySpending>({ month: '', spent: {} }, 'key_spending'),
  origins: jsonOr<string[] | null>(null, 'key_origins'),
  balance: plain('balance_micros'),
  held: plain('held_micros'),
  openJobs: json('open_jobs'),
  newDeliveries: json('new_deliveries'),
  openBatches: json('open_batches'),
  turns: json('batch_turns'),
  sweepAt: plain('sweep_at'),
  totals: jsonOr(noTotals, 'totals'),
})

export interface RateWindow {
  startedAt: number
  used: number
}

export type RateWindows = Partial<Record<RateClass, RateWindow>>

/** What was used in the hour that began then. */
export interface FreeWork {
  startedAt: number
  engineMs: number
  bytes: number
}

/** Previews and inspections have a budget of their own, so that they cannot stop jobs, nor jobs them. */
export type FreeWorkBudget = 'jobs' | 'lookups'

/** Full keys share one set of counts and limited keys another: a limited key cannot use up what its owner needs. */
export type KeyPool = 'full' | 'limited'

/** What requests change. It is counted in memory, and written whenever the account's row is, and on `saveUse`. */
export interface AccountUse {
  windows: Partial<Record<KeyPool, RateWindows>>
  freeWork: Partial<Record<KeyPool, Partial<Record<FreeWorkBudget, FreeWork>>>>
  lastUsedAt: number | null
  /** When a key was last used, by its id. */
  keyUses: Record<string, number>
}

export const useTable = new Table<AccountUse>('account', {
  windows: json('rate_windows'),
  freeWork: jsonOr<AccountUse['freeWork']>({}, 'free_work'),
  lastUsedAt: plain('last_used_at'),
  keyUses: jsonOr<Record<string, number>>({}, 'key_uses'),
})
