import { failureOfCode } from '../../../domain/codes/failures.ts'
import { isPauseOfMoney } from '../../../domain/watches/watch.ts'
import { entryOf, type ListEntry } from '../actors/watched-list.ts'
import { listUrl } from '../actors/watched-lists.ts'
import { SOON_MS } from '../acts/settle-watches.ts'
import { MOST_SKEW_MS } from '../faults/fault-classes.ts'
import { eachAccount, type Invariants, type Row, type Seen, type Sql } from './seen.ts'

/** Ceilings are compared at every so many commits. */
const COMMITS = 5

interface WatchRow extends Row {
  id: string
  url: string
  created_at: number
  since: number
  first: number
  max_cost: number | null
  has_item: number
  source: string | null
  reading: string | null
  failing: string | null
  pause: string | null
  spent: number | null
  batch_id: string | null
}

const WATCHES = `SELECT id, url, created_at, settings ->> 'since' AS since, settings ->> 'first' AS first,
    settings ->> 'maxCostMicros' AS max_cost, settings ->> 'item' IS NOT NULL AS has_item, source, reading, failing, pause,
    spending ->> 'spent' AS spent, batch_id FROM watches`

interface ItemRow extends Row {
  watch_id: string
  id: string
  url: string
  title: string
  state: string
  told: number
  batch_id: string | null
  next_at: number | null
  code: string | null
  attempts: number
}

const ITEMS = 'SELECT watch_id, id, url, title, state, told, batch_id, next_at, code, attempts FROM watch_items'

const rowsOf = <T extends Row>(sql: Sql, query: string, ...bindings: unknown[]): T[] =>
  sql.exec<T>(query, ...bindings).toArray()

/** A watch of an account, as it has been seen while the history ran. */
interface Followed {
  /** The highest that its ceiling has ever been. */
  ceiling: number
  /** Its first read was committed then. null: not yet. */
  readAt: number | null
  filters: number
}

/**
 * None is lost, none comes twice, nothing old is taken, and a ceiling of a month holds. Entries have their number in their URL,
 * so it is known which are truly the same.
 */
export const watches = (): Invariants => {
  const followed = new Map<string, Followed>()
  const commits = new Map<string, number>()
  const note = ({ id, max_cost, reading }: WatchRow, now: number): void => {
    const known = followed.get(id) ?? { ceiling: 0, readAt: null, filters: 0 }
    known.ceiling = Math.max(known.ceiling, max_cost ?? Number.POSITIVE_INFINITY)
    if (reading !== null) known.readAt ??= now
    followed.set(id, known)
  }
  return {
    atCommit: (seen, accountId, sql) => {
      const rows = rowsOf<WatchRow>(sql, WATCHES)
      for (const row of rows) note(row, seen.world.clock.now)
      const count = (commits.get(accountId) ?? 0) + 1
      commits.set(accountId, count)
      if (followed.size > 0 && count % COMMITS === 0) checkBatches(seen, sql, followed)
    },
    watchesAtRest: (seen) =>
      eachAccount(seen, (account, sql) => {
        for (const watch of rowsOf<WatchRow>(sql, WATCHES)) {
          const items = rowsOf<ItemRow>(sql, `${ITEMS} WHERE watch_id = ?`, watch.id)
          checkWatch(seen, watch, items)
          const readAt = followed.get(watch.id)?.readAt ?? null
          if (readAt !== null) checkFound(seen, watch, items, readAt, account.dropped.has(watch.id))
        }
      }),
    atRest: (seen) =>
      eachAccount(seen, ({ id, removedKeys }, sql) => {
        checkBatches(seen, sql, followed)
        checkJobs(seen, sql)
        checkEvents(seen, id, sql)
        for (const [keyId, removedAt] of removedKeys) checkKey(seen, sql, keyId, removedAt)
      }),
  }
}

const OF_WATCH = "request ->> 'watchId' IS NOT NULL"

const checkBatches = (seen: Seen, sql: Sql, followed: ReadonlyMap<string, Followed>): void => {
  const open = `SELECT request ->> 'watchId' AS id, count(*) AS count FROM batches
    WHERE completed_at IS NULL AND ${OF_WATCH} GROUP BY 1 HAVING count(*) > 1`
  for (const { id, count } of rowsOf<{ id: string; count: number }>(sql, open)) {
    seen.broken('a watch has one open batch', id, `${count}`)
  }
  const spent = `SELECT request ->> 'watchId' AS id, sum(cost_micros + (SELECT coalesce(sum(held_micros), 0) FROM jobs
      WHERE batch_id = batches.id)) AS micros FROM batches WHERE ${OF_WATCH} GROUP BY 1`
  for (const { id, micros } of rowsOf<{ id: string; micros: number }>(sql, spent)) {
    const ceiling = followed.get(id)?.ceiling ?? Number.POSITIVE_INFINITY
    if (micros > ceiling) seen.broken('a watch stays within its ceiling of a month', id, `${micros} of ${ceiling}`)
  }
}

/** When nothing fails any more and all have been resumed. */
const checkWatch = (seen: Seen, watch: WatchRow, items: readonly ItemRow[]): void => {
  const { id, reading, failing, pause, spent, batch_id, has_item } = watch
  const { now } = seen.world.clock
  if (reading === null || failing !== null)
    seen.broken('a watch reads its list', id, `${failing ?? 'it has not been read'}`)
  if (batch_id !== null) seen.broken('a batch that has ended is not that of a watch', id, batch_id)
  for (const { id: itemId, state, batch_id: batchId, next_at, code, attempts } of items) {
    if (state === 'failed' && mayPass(code) && attempts <= RETRIES) {
      seen.broken('what may pass is tried again', itemId, `${code} after ${attempts} attempts`)
    }
    if (batchId !== null) seen.broken('an item returns from its batch', itemId, `${state} in ${batchId}`)
    const isReady = (state === 'waiting' && has_item === 1) || state === 'unmeasured'
    if (isReady && pause === null && (next_at ?? 0) < now + SOON_MS) {
      seen.broken('what is ready is taken', itemId, `${state}, ${next_at}`)
    }
  }
  const sql = seen.accounts
    .map((account) => seen.sqlOf(account.id))
    .find((found) => found && rowsOf(found, 'SELECT 1 FROM watches WHERE id = ?', id).length > 0)
  const [paid] = sql
    ? rowsOf<{ micros: number }>(
        sql,
        "SELECT coalesce(sum(cost_micros), 0) AS micros FROM batches WHERE request ->> 'watchId' = ?",
        id,
      )
    : []
  if (paid && paid.micros !== (spent ?? 0))
    seen.broken('what a watch has spent is what its jobs cost', id, `${spent}, but ${paid.micros}`)
}

const RETRIES = 5

const mayPass = (code: string | null): boolean =>
  code === 'UNREACHABLE_URL' || isPauseOfMoney(code) || (code !== null && failureOfCode(code).retryable)

/** What the list shows now has been found, unless it was there before. */
const checkFound = (
  seen: Seen,
  watch: WatchRow,
  items: readonly ItemRow[],
  readAt: number,
  hasDropped: boolean,
): void => {
  const name = new URL(watch.url).pathname.split('/')[1] ?? ''
  const list = seen.lists.find(name)
  if (!list || watch.url !== listUrl(name)) return
  const byNumber = Map.groupBy(items, ({ url }) => entryOf(url)?.number ?? -1)
  const isDatedBefore = ({ publishedAt }: ListEntry) => publishedAt !== null && publishedAt < watch.since
  for (const entry of list.shown(list.kind === 'platform')) {
    const found = byNumber.get(entry.number) ?? []
    if (found.length > 1 && !list.isRewritten)
      seen.broken('an item is found once', watch.id, `${found.length} of ${entry.number}`)
    const isNew = entry.bornAt > readAt && !entry.wasRemoved && !isDatedBefore(entry)
    if (isNew && found.length === 0) seen.broken('no item is lost', watch.id, `${list.kind} ${entry.number}`)
    if (isNew && !hasDropped && found.some(({ state }) => state === 'marked')) {
      seen.broken('what is new is taken', watch.id, `${list.kind} ${entry.number} is marked`)
    }
  }
  if (list.isRewritten) return
  const old = items.filter(({ url, state }) => {
    const entry = list.entries[entryOf(url)?.number ?? -1]
    // One that was away at the first read and has come back undated cannot be told from a new one.
    const isKnowable = entry !== undefined && !(entry.wasRemoved && list.kind !== 'guids' && list.kind !== 'dates')
    const isOld = isKnowable && entry.bornAt < watch.created_at - 2 * MOST_SKEW_MS
    return isOld && state !== 'marked' && !(entry.publishedAt !== null && entry.publishedAt >= watch.since)
  })
  if (old.length > watch.first)
    seen.broken('nothing old is taken', watch.id, `${old.length}, but first is ${watch.first}`)
}

const checkJobs = (seen: Seen, sql: Sql): void => {
  const twice = `SELECT owner AS id, count(*) AS count FROM jobs JOIN batch_items
      ON batch_items.batch_id = jobs.batch_id AND item = batch_item
    WHERE owner IS NOT NULL AND jobs.state = 'completed' GROUP BY owner HAVING count(*) > 1`
  for (const { id, count } of rowsOf<{ id: string; count: number }>(sql, twice)) {
    seen.broken('an item has one completed job', id, `${count}`)
  }
  const differing = `SELECT watch_items.id, watch_items.state AS item, jobs.state AS job FROM jobs JOIN batch_items
      ON batch_items.batch_id = jobs.batch_id AND batch_items.item = batch_item JOIN watch_items ON watch_items.id = owner
    WHERE (jobs.state = 'completed' AND watch_items.state <> 'completed')
      OR (watch_items.job_id = jobs.id AND watch_items.state = 'completed' AND jobs.state <> 'completed')`
  for (const { id, item, job } of rowsOf<{ id: string; item: string; job: string }>(sql, differing)) {
    seen.broken('an item says how its job has ended', id, `${item}, its job ${job}`)
  }
  const urls = `SELECT batches.request ->> 'watchId' AS watch, jobs.request ->> 'url' AS url FROM jobs JOIN batches ON batches.id = batch_id
    WHERE jobs.state = 'completed' AND batches.${OF_WATCH}`
  const taken = Map.groupBy(
    rowsOf<{ watch: string; url: string }>(sql, urls),
    ({ watch, url }) => `${watch} ${JSON.stringify(entryOf(url))}`,
  )
  for (const [item, jobs] of taken) {
    const { list = '' } = entryOf(jobs[0]?.url ?? '') ?? {}
    if (jobs.length > 1 && !seen.lists.find(list)?.isRewritten)
      seen.broken('nothing is taken twice', item, `${jobs.length} jobs`)
  }
}

/** Events are kept for a day, and a history with watches is shorter. */
const checkEvents = (seen: Seen, accountId: string, sql: Sql): void => {
  const query = `SELECT watch_items.id, state, told, (SELECT count(*) FROM events WHERE subject_id = watch_items.id) AS events
    FROM watch_items`
  for (const { id, state, told, events } of rowsOf<ItemRow & { events: number }>(sql, query)) {
    const mustBe = ['waiting', 'told', 'completed', 'failed'].includes(state) && told === 1
    if (events > 1 || (mustBe && events !== 1)) seen.broken('an item is told once', id, `${state}: ${events} events`)
    if (['filtered', 'unmeasured'].includes(state) && events > 0) seen.broken('only what passes is told', id, state)
  }
  const twice = "SELECT subject_id AS id FROM events WHERE type = 'watch.item' GROUP BY 1 HAVING count(*) > 1"
  for (const { id } of rowsOf<{ id: string }>(sql, twice)) seen.broken('an item is told once', id, accountId)
}

const checkKey = (seen: Seen, sql: Sql, keyId: string, removedAt: number): void => {
  const query = `SELECT id FROM batches WHERE request ->> 'keyId' = ? AND ${OF_WATCH} AND created_at > ?`
  for (const { id } of rowsOf<{ id: string }>(sql, query, keyId, removedAt + 2 * MOST_SKEW_MS)) {
    seen.broken('a watch of a removed key starts nothing', id, keyId)
  }
}
