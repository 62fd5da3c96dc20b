import { monthOf } from '../../../domain/account/keys.ts'
import { type Micros, zero } from '../../../domain/money/money.ts'
import { isPauseOfMoney, type PauseCode, type WatchSettings } from '../../../domain/watches/watch.ts'
import { json, jsonOr, plains, Table } from '../../sqlite.ts'

/** What is known of the list since it was last read. */
export interface Reading {
  /** null: the page itself is read. */
  feedUrl: string | null
  /** All three are of the response that the known items are from. */
  etag: string | null
  lastModified: string | null
  digest: string | null
  count: number
  /** The list was read to its end. */
  isWhole: boolean
}

export interface Failing {
  count: number
  since: number
  retryAt: number
  code: string
  message: string
  /** It was told, because there have been three, or what was read is no list. */
  isTold: boolean
}

export interface Pause {
  /** null: the caller wants it so. */
  code: PauseCode | null
  until: number | null
}

export interface WatchRow {
  readonly id: string
  readonly url: string
  readonly createdAt: number
  readonly origin: string | null
  readonly requestId: string | null
  /** Of the key that started it, or that took it over. */
  keyId: string
  settings: WatchSettings
  title: string | null
  source: 'feed' | 'page' | null
  /** null: the list has not been read. */
  reading: Reading | null
  failing: Failing | null
  pause: Pause | null
  spending: { month: string; spent: Micros }
  /** Its open batch. */
  batchId: string | null
}

export const watchTable = new Table<WatchRow>('watches', {
  ...plains('id', 'url', 'createdAt', 'keyId', 'origin', 'requestId', 'title', 'source', 'batchId'),
  settings: json('settings'),
  reading: jsonOr<Reading | null>(null, 'reading'),
  failing: jsonOr<Failing | null>(null, 'failing'),
  pause: jsonOr<Pause | null>(null, 'pause'),
  spending: jsonOr<WatchRow['spending']>({ month: '', spent: zero }, 'spending'),
})

/** When a watch was polled. All are in the account's row, because a round of polls that find nothing writes them once. */
export interface PollTimes {
  /** null: never. */
  at: number | null
  /** The last poll that was not conditional. */
  fullAt: number
  /** The caller has asked for a poll. */
  isAsked: boolean
  /** A round of polls has taken it until then, and reports under this number. 0: none has. */
  takenUntil: number
}

export const neverPolled: PollTimes = { at: null, fullAt: 0, isAsked: false, takenUntil: 0 }

/** Newest first. `onlyOf`: a key, for those that it has started. */
export const listWatchRows = (
  sql: SqlStorage,
  onlyOf: string | null,
  before: string | null,
  limit: number,
): WatchRow[] =>
  watchTable.select(
    sql,
    'WHERE (?1 IS NULL OR id < ?1) AND (?2 IS NULL OR key_id = ?2) ORDER BY id DESC LIMIT ?3',
    before,
    onlyOf,
    limit,
  )

/** While money is short, the list is still read. */
export const isPolled = ({ pause }: Pick<WatchRow, 'pause'>): boolean => pause === null || isPauseOfMoney(pause.code)

export const spentThisMonth = ({ spending }: Pick<WatchRow, 'spending'>, now: number): Micros =>
  spending.month === monthOf(now) ? spending.spent : zero
