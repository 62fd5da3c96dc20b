import { newId } from '../../../domain/ids.ts'
import type { LinkedFiles } from '../../../domain/protocol/protocol.ts'
import { passageOf } from '../../../domain/watches/filter.ts'
import { type ListedEntry, type News, newsIn } from '../../../domain/watches/news.ts'
import type { AccountRows } from '../account-rows.ts'
import { act } from '../acts.ts'
import { schedule } from '../due/due-rows.ts'
import { poolOf } from '../keys/key-rows.ts'
import { noteFreeWork } from '../requests/free-work.ts'
import {
  addWatchItems,
  changeItem,
  findItem,
  knownIdentities,
  markAmbiguous,
  type NewWatchItem,
  type WatchItemRow,
} from './item-rows.ts'
import { pauseWatch } from './pauses.ts'
import { notePoll, type PollTask, schedulePolls, takenWatch } from './polls.ts'
import { tellItem } from './watch-events.ts'
import type { Reading, WatchRow } from './watch-rows.ts'

/** An entry of a list that was read. `identities` are hashed behind their first two letters. */
export interface FoundEntry extends ListedEntry {
  url: string
  title: string | null
  seconds: number | null
  linked: LinkedFiles | undefined
}

export interface FoundList extends Reading {
  title: string | null
  source: 'feed' | 'page'
  /** It is only the feed of a platform, whose page lists more. */
  hasPage: boolean
  entries: FoundEntry[]
}

/**
 * The identities, the items and what the next request is asked with are one transaction, and what starts is due with it. So
 * nothing is lost or comes twice, whatever ends in between. `page`: nothing of the feed was known, so its page is to be read.
 */
export const reportList = act(
  ({ rows, now }, task: Pick<PollTask, 'watchId' | 'takenUntil'>, list: FoundList): 'done' | 'page' | 'lost' => {
    const watch = takenWatch(rows, task)
    if (!watch) return 'lost'
    const { title, source, hasPage, entries, ...reading } = list
    const isFirst = watch.reading === null
    const news = newsOf(rows, watch, list)
    if (hasPage && !isFirst && !news.isFamiliar && entries.length > 0) return 'page'
    notePoll(rows, watch, now, { wasConditional: false })
    watch.reading = reading
    watch.title = title ?? watch.title
    watch.source = source
    markAmbiguous(rows.sql, watch.id, news.ambiguous)
    addNews(rows, watch, news, now)
    schedulePolls(rows, now)
    return 'done'
  },
)

const unread = { count: 0, isWhole: false }

const newsOf = (rows: AccountRows, watch: WatchRow, { source, isWhole, entries }: FoundList): News<FoundEntry> => {
  const identities = entries.flatMap((entry) => entry.identities)
  const known = knownIdentities(rows.sql, watch.id, identities)
  const { since, first } = watch.settings
  return newsIn(
    entries,
    { has: (identity) => known.get(identity) === false, isAmbiguous: (identity) => known.get(identity) === true },
    { isFirst: watch.reading === null, source, isWhole, earlier: watch.reading ?? unread, since, first },
  )
}

/**
 * Rows and webhooks are free too, so they count as work of an engine: a list that is all new at each poll must not cost
 * more than one that is read for the same time.
 */
const ENTRY_MS = 20
const WEBHOOK_MS = 500

const addNews = (rows: AccountRows, watch: WatchRow, { taken, asked, marked }: News<FoundEntry>, now: number): void => {
  const { id, settings, keyId } = watch
  const ids = [...taken, ...marked].map(() => newId('watchItem', now)).sort()
  // Items are in the order of their ids, and what was there before is the oldest.
  const entries = [...marked.toReversed(), ...taken]
  const items = entries.map((entry, index): NewWatchItem => {
    const passage = index < marked.length ? 'marked' : passageOf(settings.filter, entry)
    const state = passage === 'passes' ? 'waiting' : passage
    return { ...entry, id: ids[index] ?? '', state, isTold: false }
  })
  const wanted = entries.filter((_, index) => isWanted(items[index]))
  addWatchItems(rows.sql, id, items)
  const told = settings.webhookUrl === null ? 0 : wanted.length
  const engineMs = ENTRY_MS * items.length + WEBHOOK_MS * told
  noteFreeWork(rows, poolOf(rows.keys.find(keyId)), 'lists', { engineMs, bytes: 0 }, now)
  if (wanted.length === 0) return
  if (wanted.filter((entry) => !asked.has(entry)).length > settings.maxNew) pauseWatch(rows, watch, 'TOO_MANY_NEW', now)
  for (const { id: itemId, state } of items) if (state === 'waiting') letPass(rows, watch, itemId, now)
  schedule(rows.sql, 'watch', id, now)
}

const isWanted = (item: NewWatchItem | undefined): boolean => item?.state === 'waiting' || item?.state === 'unmeasured'

/** An item that has passed the filter: it is told, and waits for a batch. In a pause that its caller ends, it is told then. */
const letPass = (rows: AccountRows, watch: WatchRow, itemId: string, now: number): void => {
  const item = findItem(rows.sql, watch.id, itemId)
  if (!item) return
  const isHeld = watch.pause?.code === 'TOO_MANY_NEW'
  const state: WatchItemRow['state'] = watch.settings.item || isHeld ? 'waiting' : 'told'
  changeItem(rows.sql, item, { state, isTold: !isHeld })
  if (!isHeld) tellItem(rows, watch, item, now)
}

/** The length of an item, which the filter asks for. null: nobody knows it, so the item passes. */
export const reportLength = act(({ rows, now }, watchId: string, itemId: string, seconds: number | null): void => {
  const watch = rows.watches.find(watchId)
  const item = findItem(rows.sql, watchId, itemId)
  if (!watch || item?.state !== 'unmeasured') return
  const passage = seconds === null ? 'passes' : passageOf(watch.settings.filter, { title: item.title, seconds })
  changeItem(rows.sql, item, { seconds, nextAttemptAt: null, state: passage === 'filtered' ? 'filtered' : 'waiting' })
  if (passage !== 'filtered') letPass(rows, watch, itemId, now)
  schedule(rows.sql, 'watch', watchId, now)
  schedulePolls(rows, now)
})
