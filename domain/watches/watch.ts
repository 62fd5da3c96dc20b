import type { ItemRequest } from '../batches/batch.ts'
import type { JobMetadata } from '../jobs/job-metadata.ts'
import { isoTime, isoTimeOrNull } from '../jobs/job-status.ts'
import { type Micros, toDollars } from '../money/money.ts'
import type { WatchFilter } from './filter.ts'

/**
 * A watch follows a list and makes a job of each entry that is new:
 *
 *   starting ──first read──▶ active ◀──▶ failing (three polls in a row, or no list)
 *       └────────────────────────┴──▶ paused, by its caller or for the reason of its code
 */
export const watchStates = ['starting', 'active', 'failing', 'paused'] as const
export type WatchState = (typeof watchStates)[number]

/** Of a list. */
export const MAX_ENTRIES = 500
export const MIN_EVERY_MINUTES = 15
export const MAX_EVERY_MINUTES = 10_080

export interface WatchSettings {
  everyMinutes: number
  since: number
  first: number
  filter: WatchFilter
  /** null: the watch only tells. */
  item: ItemRequest | null
  /** The options as the caller gave them: `import` or `transcribe`. */
  options: object | null
  reuseWithinSeconds: number
  maxCostMicros: Micros | null
  maxNew: number
  webhookUrl: string | null
  metadata?: JobMetadata
}

/** Why a watch is paused. null: its caller wants it so. */
export const pauseCodes = {
  TOO_MANY_NEW: 'More items are new than maxNew allows. Send paused: false to take them, or waiting: "drop".',
  MAX_COST_EXCEEDED: 'The watch has reached its maxCostDollarsPerMonth.',
  INSUFFICIENT_BALANCE: 'The account balance is too low for the next item.',
  KEY_BUDGET_EXCEEDED: 'The monthly budget of the API key does not cover the next item.',
  KEY_REMOVED: 'The API key of the watch was removed. Change the watch with another key.',
  SOURCE_GONE: 'The source says that it is gone for good.',
  SOURCE_FAILED: 'No poll has succeeded for 30 days.',
} as const
export type PauseCode = keyof typeof pauseCodes

/** While money is short, the list is still read, and what is new waits. */
export const moneyPauses = ['MAX_COST_EXCEEDED', 'INSUFFICIENT_BALANCE', 'KEY_BUDGET_EXCEEDED'] as const
export type MoneyPause = (typeof moneyPauses)[number]
export const isPauseOfMoney = (code: string | null): code is MoneyPause => moneyPauses.some((each) => each === code)

export interface Watch {
  id: string
  url: string
  createdAt: number
  settings: WatchSettings
  title: string | null
  source: 'feed' | 'page' | null
  state: WatchState
  code: string | null
  message: string | null
  nextPollAt: number | null
  lastPollAt: number | null
  failures: number
  waiting: number
  spentMicros: Micros
  resetsAt: number
}

export const watchStatus = ({ settings, ...watch }: Watch) => ({
  watchId: watch.id,
  url: watch.url,
  title: watch.title,
  source: watch.source,
  status: watch.state,
  code: watch.code,
  message: watch.message,
  createdAt: isoTime(watch.createdAt),
  nextPollAt: isoTimeOrNull(watch.nextPollAt),
  lastPollAt: isoTimeOrNull(watch.lastPollAt),
  failures: watch.failures,
  waiting: watch.waiting,
  spentThisMonthDollars: toDollars(watch.spentMicros),
  resetsAt: isoTime(watch.resetsAt),
  everyMinutes: settings.everyMinutes,
  since: isoTime(settings.since),
  first: settings.first,
  filter: settings.filter,
  import: settings.item?.kind === 'import' ? settings.options : null,
  transcribe: settings.item?.kind === 'transcription' ? settings.options : null,
  maxCostDollarsPerMonth: settings.maxCostMicros === null ? null : toDollars(settings.maxCostMicros),
  maxNew: settings.maxNew,
  webhookUrl: settings.webhookUrl,
  metadata: settings.metadata ?? {},
})

export const watchItemStates = [
  'marked',
  'filtered',
  'told',
  'waiting',
  'queued',
  'running',
  'completed',
  'failed',
] as const
export type WatchItemState = (typeof watchItemStates)[number]

export interface WatchItem {
  id: string
  url: string
  title: string | null
  publishedAt: number | null
  seconds: number | null
  state: WatchItemState
  jobId: string | null
  attempts: number
  nextAttemptAt: number | null
  code: string | null
  costMicros: Micros | null
}

export const watchItemStatus = (item: WatchItem) => ({
  itemId: item.id,
  url: item.url,
  title: item.title,
  publishedAt: isoTimeOrNull(item.publishedAt),
  seconds: item.seconds,
  status: item.state,
  jobId: item.jobId,
  attempts: item.attempts,
  nextAttemptAt: isoTimeOrNull(item.nextAttemptAt),
  code: item.code,
  costInDollars: item.costMicros === null ? null : toDollars(item.costMicros),
})

/** The `data` of the event `watch.item`. */
export const newItemStatus = (watchId: string, item: WatchItem, metadata: JobMetadata | undefined) => {
  const { itemId, url, title, publishedAt, seconds, status } = watchItemStatus(item)
  return { watchId, itemId, url, title, publishedAt, seconds, status, metadata: metadata ?? {} }
}
