import { firstPositionAt, positionOf } from '../domain/ids.ts'
import type { Job, JobKind, JobPhase, JobState } from '../domain/jobs/job.ts'
import { type JobFilter, searched, searchedText } from '../domain/jobs/job-filter.ts'
import type { JobMetadata } from '../domain/jobs/job-metadata.ts'
import { MINUTE_MS } from '../domain/time.ts'
import { type DirectoryPage, query, rows } from './directory.ts'

/** The jobs of lists: those that have ended are in D1. */
export interface ListedJob {
  id: string
  kind: JobKind
  state: JobState
  /** Only live jobs have one, and D1 has none of them. */
  phase?: JobPhase
  /** null: the job has another source. */
  url: string | null
  title: string | null
  createdAt: number
  startedAt: number | null
  completedAt: number | null
  removedAt: number | null
  costMicros: number | null
  failureCode: string | null
  /** Absent: none. */
  metadata?: JobMetadata
  /** As in a Job. */
  keyId?: string | null
  /** Of the media of an import. null: there is none, or an earlier version has written the row. */
  expiresAt?: number | null
}

/** The facts of a job that lists show. */
export const listedJob = (job: Job): ListedJob => ({
  id: job.id,
  kind: job.kind,
  state: job.state,
  url: job.request.url,
  title: job.result?.title ?? null,
  createdAt: job.createdAt,
  startedAt: job.startedAt,
  completedAt: job.completedAt,
  removedAt: job.removedAt,
  costMicros: job.result?.costMicros ?? null,
  failureCode: job.failure?.code ?? null,
  keyId: job.keyId ?? null,
  expiresAt: job.kind === 'import' ? (job.result?.expiresAt ?? null) : null,
  ...(job.metadata && { metadata: job.metadata }),
})

/**
 * Writes the row of a job that has ended. A repeated write changes nothing and costs nothing. One that comes late, of an object
 * that has been restarted since, does not undo a later one: jobs end, and media is removed, once.
 */
export const recordJob = async (db: D1Database, accountId: string, job: Job): Promise<void> => {
  const sql = `INSERT INTO jobs (account_id, position, searched, metadata, id, kind, state, url, title, created_at,
      started_at, completed_at, removed_at, cost_micros, failure_code, key_id, expires_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    state = excluded.state, title = excluded.title, searched = excluded.searched, started_at = excluded.started_at,
    completed_at = excluded.completed_at, removed_at = excluded.removed_at, expires_at = excluded.expires_at,
    cost_micros = excluded.cost_micros, failure_code = excluded.failure_code
    WHERE (excluded.completed_at IS NOT NULL, excluded.removed_at IS NOT NULL) >
      (jobs.completed_at IS NOT NULL, jobs.removed_at IS NOT NULL)`
  const { metadata, ...listed } = listedJob(job)
  const position = positionOf(job.id)
  const noted = metadata ? JSON.stringify(metadata) : null
  const facts = Object.values({ ...listed, url: listed.url ?? '' })
  const row = query(db, sql, accountId, position, searchedUnlessAscii(listed), noted, ...facts)
  if (noted === null) {
    await row.run()
    return
  }
  const names = `INSERT OR IGNORE INTO job_metadata (account_id, name, value, position)
    SELECT ?, key, value, ? FROM json_each(?)`
  await db.batch([row, query(db, names, accountId, position, noted)])
}

/** null: SQLite's `lower` makes the same, so that most rows need not have it. */
const searchedUnlessAscii = (job: Pick<ListedJob, 'title' | 'url'>): string | null => {
  const text = searchedText(job)
  return /^\p{ASCII}*$/u.test(text) ? null : text
}

/** The database serves nobody else during a statement. */
const REMOVED_AT_ONCE = 1_000

/** `before`: a position. `kept`: ids. */
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

type ListedRow = Omit<ListedJob, 'metadata'> & { metadata: string | null }

/**
 * The jobs that have ended. The account knows the others. Earlier versions wrote these too, as `queued`. Positions begin with
 * the time, so times are a part of the primary key. `text` and `keyId` read rows until the page is full, as kind
 * and state do.
 */
export const listJobs = async (
  db: D1Database,
  accountId: string,
  filter: JobFilter,
  { before, limit }: DirectoryPage,
): Promise<ListedJob[]> => {
  const { kind, state, metadata, createdFrom, createdBefore, text, keyId } = filter
  const first = createdFrom === null ? '' : firstPositionAt(createdFrom - ID_TIME_DIFFERS_MS)
  const end = createdBefore === null ? END : firstPositionAt(createdBefore + ID_TIME_DIFFERS_MS)
  const range = { first, end: before !== null && before < end ? before : end }
  const rarest = await rarestOf(db, accountId, metadata, range)
  const [name, value] = rarest ?? [null, null]
  const [from, position] = rarest
    ? ['job_metadata AS noted CROSS JOIN jobs USING (account_id, position)', 'noted.position']
    : ['jobs', 'position']
  const found = await rows<ListedRow>(
    db,
    `SELECT id, kind, state, nullif(url, '') AS url, title, created_at AS createdAt, started_at AS startedAt,
            completed_at AS completedAt, removed_at AS removedAt, cost_micros AS costMicros,
            failure_code AS failureCode, metadata, key_id AS keyId, expires_at AS expiresAt
       FROM ${from}
      WHERE account_id = ?1 AND ${position} >= ?2 AND ${position} < ?3 AND (?4 IS NULL OR kind = ?4)
        AND (?5 IS NULL OR state = ?5) AND (?6 IS NULL OR created_at >= ?6) AND (?7 IS NULL OR created_at < ?7)
        AND (?8 IS NULL OR instr(coalesce(searched, lower(coalesce(title, '') || char(10) || url)), ?8) > 0)
        AND (?9 IS NULL OR key_id = ?9)
        ${rarest ? `AND noted.name = ?11 AND noted.value = ?12 AND ${HAS_OTHERS}` : ''}
      ORDER BY ${position} DESC LIMIT ?10`,
    ...[accountId, range.first, range.end, kind, state, createdFrom, createdBefore],
    ...[text === null ? null : searched(text), keyId, limit],
    ...(rarest ? [name, value, JSON.stringify(metadata)] : []),
  )
  return found.map(({ metadata, ...job }) => (metadata === null ? job : { ...job, metadata: JSON.parse(metadata) }))
}

/** Of each key, no more rows than that are counted to find the rarest. */
const COUNTED_ROWS = 1_000

/** What else is asked for is in the job's own metadata. */
const HAS_OTHERS = `NOT EXISTS (SELECT 1 FROM json_each(?13) AS asked WHERE asked.key != ?11 AND NOT EXISTS
  (SELECT 1 FROM json_each(jobs.metadata) AS own WHERE own.key = asked.key AND own.value = asked.value))`

/** The key and value that fewest jobs have, so that a list reads few rows. null: none is asked for. */
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
