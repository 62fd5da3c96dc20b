import { firstPositionAt, lastPositionOfTime, positionOf } from '../domain/ids.ts'
import type { Job, JobPhase } from '../domain/jobs/job.ts'
import { type JobFilter, searched, searchedText } from '../domain/jobs/job-filter.ts'
import type { JobMetadata } from '../domain/jobs/job-metadata.ts'
import { MINUTE_MS } from '../domain/time.ts'
import { type DirectoryPage, query, rows, type Value } from './directory.ts'
import { insertText, jsonOr, plains, type StoredRow, Table } from './sqlite.ts'

/** D1 has those of jobs that have ended. */
export interface RecordedJob
  extends Pick<Job, 'id' | 'kind' | 'state' | 'createdAt' | 'startedAt' | 'completedAt' | 'removedAt'> {
  /** null: the job has another source. */
  url: string | null
  title: string | null
  costMicros: number | null
  failureCode: string | null
  metadata: JobMetadata
  keyId: string | null
  /** Of the media of an import. */
  expiresAt: number | null
}

export interface ListedJob extends RecordedJob {
  phase?: JobPhase
}

const jobTable = new Table<RecordedJob>('jobs', {
  ...plains('id', 'kind', 'state', 'title', 'createdAt', 'startedAt', 'completedAt', 'removedAt', 'costMicros'),
  ...plains('failureCode', 'keyId', 'expiresAt'),
  url: {
    columns: ['url'],
    read: ({ url }) => (url === '' ? null : (url as string)),
    write: (url) => ({ url: url ?? '' }),
  },
  metadata: jsonOr<JobMetadata>({}, 'metadata'),
})

export const listedJob = (job: Job): RecordedJob => {
  const { id, kind, state, createdAt, startedAt, completedAt, removedAt, keyId } = job
  return {
    id,
    kind,
    state,
    url: job.request.url,
    title: job.result?.title ?? null,
    createdAt,
    startedAt,
    completedAt,
    removedAt,
    costMicros: job.result?.costMicros ?? null,
    failureCode: job.failure?.code ?? null,
    metadata: job.metadata ?? {},
    keyId,
    expiresAt: job.kind === 'import' ? (job.result?.expiresAt ?? null) : null,
  }
}

/**
 * A repeated write changes nothing and costs nothing. One that comes late, of an object that has been restarted since,
 * does not undo a later one: jobs end, and media is removed, once.
 */
export const recordJob = async (db: D1Database, accountId: string, job: Job): Promise<void> => {
  const listed = listedJob(job)
  const position = positionOf(job.id)
  const facts = jobTable.write(listed)
  const stored = { ...facts, account_id: accountId, position, searched: searchedUnlessAscii(listed) }
  const sql = `${insertText('INSERT', 'jobs', stored)} ON CONFLICT DO UPDATE SET
    state = excluded.state, title = excluded.title, searched = excluded.searched, started_at = excluded.started_at,
    completed_at = excluded.completed_at, removed_at = excluded.removed_at, expires_at = excluded.expires_at,
    cost_micros = excluded.cost_micros, failure_code = excluded.failure_code
    WHERE (excluded.completed_at IS NOT NULL, excluded.removed_at IS NOT NULL) >
      (jobs.completed_at IS NOT NULL, jobs.removed_at IS NOT NULL)`
  const row = query(db, sql, ...Object.values(stored))
  const { metadata = null } = facts
  if (metadata === null) {
    await row.run()
    return
  }
  const names = `INSERT OR IGNORE INTO job_metadata (account_id, name, value, position)
    SELECT ?, key, value, ? FROM json_each(?)`
  await db.batch([row, query(db, names, accountId, position, metadata)])
}

/** null: SQLite's `lower` makes the same, so that most rows need not have it. */
const searchedUnlessAscii = (job: Pick<ListedJob, 'title' | 'url'>): string | null => {
  const text = searchedText(job)
  return /^\p{ASCII}*$/u.test(text) ? null : text
}

/** The database serves nobody else during a statement. */
const REMOVED_AT_ONCE = 1_000

export const removeJobs = async (db: D1Database, accountId: string, before: string, kept: string[]): Promise<void> => {
  const old = `FROM jobs WHERE account_id = ?1 AND position < ?2 AND id NOT IN (SELECT value FROM json_each(?3))
    ORDER BY position LIMIT ${REMOVED_AT_ONCE}`
  const names = `DELETE FROM job_metadata WHERE (account_id, name, value, position) IN
    (SELECT ?1, noted.key, noted.value, position FROM (SELECT position, metadata ${old}), json_each(metadata) AS noted)`
  const sql = `DELETE FROM jobs WHERE account_id = ?1 AND position IN (SELECT position ${old})`
  const bindings = [accountId, before, JSON.stringify(kept)]
  let removed: D1Result | undefined
  do {
    const results = await db.batch([query(db, names, ...bindings), query(db, sql, ...bindings)])
    removed = results[1]
  } while (removed?.meta.changes === REMOVED_AT_ONCE)
}

/** The times in the id and in the job's row come from two machines, and a call of the account may be repeated. */
const ID_TIME_DIFFERS_MS = 5 * MINUTE_MS
/** It comes after every position. */
const END = '~'

/** Limits how long the database serves one caller: on an operator's own server it has one thread. */
export const READ_AT_ONCE = 5_000

interface FoundJobs {
  jobs: ListedJob[]
  /** Jobs before this position were not read, and those from it on are all in `jobs`. null: the page is full, or no job is left. */
  readTo: string | null
}

type Condition = [sql: string, value: Value]

/**
 * Lists jobs that have ended. Positions begin with the time, so times are a part of the primary key. At most
 * READ_AT_ONCE rows are searched, from the newest on.
 */
export const listJobs = async (
  db: D1Database,
  accountId: string,
  filter: JobFilter,
  { before, limit }: DirectoryPage,
): Promise<FoundJobs> => {
  const { createdFrom, createdBefore, metadata } = filter
  const first = createdFrom === null ? '' : firstPositionAt(createdFrom - ID_TIME_DIFFERS_MS)
  const last = createdBefore === null ? END : firstPositionAt(createdBefore + ID_TIME_DIFFERS_MS)
  const range = { first, end: before !== null && before < last ? before : last }
  const rarest = await rarestOf(db, accountId, metadata, range)
  const read: Condition[] = [
    ['account_id = ?', accountId],
    ['position >= ?', range.first],
    ['position < ?', range.end],
    ...(rarest === null ? [] : noted(rarest)),
  ]
  const rowsRead = `FROM ${rarest ? 'job_metadata' : 'jobs'} WHERE ${allOf(read)} ORDER BY position DESC`
  const matching = matches(filter, rarest)
  const found = await rows<StoredRow>(
    db,
    `SELECT ${jobTable.columns.join(', ')}
       FROM (SELECT * ${rowsRead} LIMIT ${READ_AT_ONCE}) ${rarest ? 'CROSS JOIN jobs USING (account_id, position)' : ''}
      ${matching.length === 0 ? '' : `WHERE ${allOf(matching)}`} ORDER BY position DESC LIMIT ?`,
    ...[...read, ...matching].map(([, value]) => value),
    limit,
  )
  const jobs = found.map((stored) => jobTable.read(stored))
  if (jobs.length === limit) return { jobs, readTo: null }
  const [oldest] = await rows<{ position: string }>(
    db,
    `SELECT position ${rowsRead} LIMIT 1 OFFSET ${READ_AT_ONCE - 1}`,
    ...read.map(([, value]) => value),
  )
  if (!oldest) return { jobs, readTo: null }
  // A time and no id: the oldest row may be a job that the caller does not see.
  const readTo = lastPositionOfTime(oldest.position)
  return { jobs: jobs.filter(({ id }) => positionOf(id) >= readTo), readTo }
}

const allOf = (conditions: Condition[]): string => conditions.map(([sql]) => sql).join(' AND ')

const noted = ([name, value]: [string, string]): Condition[] => [
  ['name = ?', name],
  ['value = ?', value],
]

/** What is not in the primary key. `rarest`: what is in that of the metadata. */
const matches = (
  { kind, state, metadata, createdFrom, createdBefore, text, keyId }: JobFilter,
  rarest: [string, string] | null,
): Condition[] => {
  const others = JSON.stringify(Object.fromEntries(Object.entries(metadata).filter(([key]) => key !== rarest?.[0])))
  const conditions: [string, Value][] = [
    ['kind = ?', kind],
    ['state = ?', state],
    ['created_at >= ?', createdFrom],
    ['created_at < ?', createdBefore],
    ["instr(coalesce(searched, lower(coalesce(title, '') || char(10) || url)), ?) > 0", text && searched(text)],
    ['key_id = ?', keyId],
    [HAS_ALL, others === '{}' ? null : others],
  ]
  return conditions.filter(([, value]) => value !== null)
}

/** Of each key, no more rows than that are counted to find the rarest. */
const COUNTED_ROWS = 1_000

const HAS_ALL = `NOT EXISTS (SELECT 1 FROM json_each(?) AS asked WHERE NOT EXISTS
  (SELECT 1 FROM json_each(jobs.metadata) AS own WHERE own.key = asked.key AND own.value = asked.value))`

const rarestOf = async (
  db: D1Database,
  accountId: string,
  metadata: JobMetadata,
  { first, end }: { first: string; end: string },
): Promise<[string, string] | null> => {
  const asked = Object.entries(metadata)
  if (asked.length < 2) return asked[0] ?? null
  const sql = `SELECT key FROM json_each(?1) AS asked ORDER BY (SELECT count(*) FROM (SELECT 1 FROM job_metadata
      WHERE account_id = ?2 AND name = asked.key AND value = asked.value AND position >= ?3 AND position < ?4
      LIMIT ${COUNTED_ROWS})) LIMIT 1`
  const [rarest] = await rows<{ key: string }>(db, sql, JSON.stringify(metadata), accountId, first, end)
  return asked.find(([key]) => key === rarest?.key) ?? null
}
