import type { Account } from '../actors/caller.ts'
import {
  checkFound,
  checkNumbers,
  checkPassages,
  completedJobs,
  hasTables,
  type IndexedRow,
  transcriptOf,
} from './indexed-words.ts'
import { eachAccount, type Invariants, type Row, type Seen, type Sql } from './seen.ts'

/** What an account's index should have, as far as its commits say it. */
interface Followed {
  /** When each job completed. */
  endedAt: Map<string, number>
  /** Every time that indexing was turned off or on. It is on at first. */
  turns: { at: number; isOff: boolean }[]
  /** When rebuilds began. One that begins while the last one has brought nothing back is not seen. */
  rebuilds: number[]
  isRebuilding: boolean
}

/** Words that can be read are found whole, and nothing else is, whatever happens to the index. */
export const search = (): Invariants => {
  const followed = new Map<string, Followed>()
  const check = async (seen: Seen): Promise<void> => {
    const accounts: [Account, Sql][] = []
    eachAccount(seen, (account, sql) => accounts.push([account, sql]))
    for (const [account, sql] of accounts) {
      const known = followed.get(account.id)
      if (known) await checkIndex(seen, account, sql, known)
    }
  }
  return {
    atCommit: (seen, accountId, sql) => {
      const known = followed.get(accountId) ?? {
        endedAt: new Map(),
        turns: [{ at: 0, isOff: false }],
        rebuilds: [],
        isRebuilding: false,
      }
      followed.set(accountId, known)
      note(known, sql, seen.world.clock.now)
    },
    atRest: async (seen) => {
      eachAccount(seen, (account, sql) => checkAnswers(seen, account, sql, followed.get(account.id)))
      await check(seen)
    },
    // Words live longer than media.
    atEnd: check,
  }
}

const note = (followed: Followed, sql: Sql, now: number): void => {
  const { endedAt, turns, rebuilds } = followed
  const query = `SELECT coalesce(search ->> 'isOff', 0) AS off, search ->> 'rebuiltTo' AS rebuilt,
    (SELECT group_concat(id) FROM jobs WHERE state = 'completed') AS ids FROM account`
  const [row] = sql.exec<{ off: number; rebuilt: string | null; ids: string | null }>(query).toArray()
  if (!row) return
  const isOff = row.off === 1
  if (turns.at(-1)?.isOff !== isOff) turns.push({ at: now, isOff })
  const begins = row.rebuilt === ''
  if (begins && !followed.isRebuilding) rebuilds.push(now)
  followed.isRebuilding = begins
  for (const id of row.ids?.split(',') ?? []) if (!endedAt.has(id)) endedAt.set(id, now)
}

/** What searches have shown while the history ran. */
const checkAnswers = (seen: Seen, { id, searches, goneAt }: Account, sql: Sql, followed?: Followed): void => {
  const jobs = new Map(completedJobs(sql).map((job) => [job.id, job]))
  for (const { sentAt, answeredAt, keyId, jobIds } of searches) {
    if (jobIds.length > 0 && followed && wasOff(followed, sentAt, answeredAt))
      seen.broken('nothing is found while indexing is off', id, `${jobIds} at ${sentAt}`)
    for (const jobId of jobIds) {
      const job = jobs.get(jobId)
      if (!job || (followed?.endedAt.get(jobId) ?? 0) > answeredAt)
        seen.broken('what is found has completed', jobId, id)
      if ((goneAt.get(jobId) ?? answeredAt) < sentAt) seen.broken('what is removed is not found', jobId, id)
      if (job?.is_indexed === 0) seen.broken('a job is not found against its will', jobId, id)
      if (keyId !== null && job?.key_id !== keyId)
        seen.broken('a key finds what it may see', jobId, `${keyId} has found it`)
    }
  }
}

/** All the time between the two. */
const wasOff = ({ turns }: Followed, from: number, until: number): boolean =>
  turns.findLast(({ at }) => at < from)?.isOff === true && !turns.some(({ at }) => at >= from && at <= until)

const checkIndex = async (seen: Seen, account: Account, sql: Sql, followed: Followed): Promise<void> => {
  const { broken, world } = seen
  const index = (world.namespaces.WORDS.storage(account.id)?.sqlDatabase ?? null) as Sql | null
  const indexed = index && hasTables(index) ? index : null
  const found = indexed?.exec<IndexedRow>('SELECT id, low, top, passages, whole FROM jobs').toArray() ?? []
  const { isOff } = checkState(seen, account, sql, found)
  if (isOff && indexed) broken('an index that is off is empty', account.id, found.map(({ id }) => id).join())
  const findable = completedJobs(sql).filter((job) => job.is_indexed === 1 && transcriptOf(job) !== null)
  const owed = isOff ? [] : findable.filter(({ id }) => isOwed(account, followed, id))
  for (const { id } of owed) {
    if (!found.some((row) => row.id === id)) broken('what was said is found', id, account.id)
  }
  if (!indexed) return
  for (const row of found) {
    const job = findable.find(({ id }) => id === row.id)
    if (job) await checkPassages(seen, indexed, row, job)
    else broken('an index has nothing else', row.id, account.id)
  }
  checkNumbers(seen, account, indexed)
  if (!isOff) await checkFound(seen, account, indexed)
}

interface State extends Row {
  search: string | null
  due: number
}

/** What the account knows of its index. */
const checkState = ({ broken }: Seen, { id, indexLostAt }: Account, sql: Sql, found: readonly IndexedRow[]) => {
  const query = "SELECT search, (SELECT count(*) FROM due WHERE kind = 'words') AS due FROM account"
  const { search: text, due } = sql.exec<State>(query).one()
  const { isOff = false, isToEmpty = false, rebuiltTo = null, passages = 0 } = JSON.parse(text ?? '{}')
  if (due > 0 || isToEmpty || rebuiltTo !== null)
    broken('the work on an index ends', id, `${due} rows, isToEmpty ${isToEmpty}, rebuilt to ${rebuiltTo}`)
  const inIndex = found.reduce((sum, row) => sum + row.passages, 0)
  if (passages !== inIndex && indexLostAt === null)
    broken('an account knows the size of its index', id, `${passages} instead of ${inIndex}`)
  return { isOff: isOff as boolean }
}

/** It ended while words were indexed, or was brought back by a rebuild since. */
const isOwed = ({ rebuiltAt, indexLostAt }: Account, { endedAt, turns, rebuilds }: Followed, id: string): boolean => {
  const at = endedAt.get(id) ?? Number.POSITIVE_INFINITY
  const offAt = turns.findLast(({ isOff }) => isOff)?.at ?? 0
  const emptyAt = Math.max(turns.at(-1)?.at ?? 0, indexLostAt ?? 0)
  return at > emptyAt || [...rebuiltAt, ...rebuilds].some((asked) => asked > Math.max(at, offAt, indexLostAt ?? 0))
}
