import { positionOf } from '../domain/ids.ts'
import type { Job, JobKind, JobState } from '../domain/jobs/job.ts'

/**
 * Every D1 query. The tables of accounts and jobs are a copy for lists and operators: account objects own balances
 * and running jobs. Credentials are stored only here.
 */
export interface AccountRow {
  id: string
  name: string
  createdAt: number
}

export interface ListedJob {
  id: string
  kind: JobKind
  state: JobState
  url: string
  title: string | null
  createdAt: number
  startedAt: number | null
  completedAt: number | null
  removedAt: number | null
  costMicros: number | null
  failureCode: string | null
}

export interface DirectoryPage {
  before: string | null
  limit: number
}

export const addAccount = async (db: D1Database, { id, name, createdAt }: AccountRow): Promise<void> => {
  await db.prepare('INSERT OR IGNORE INTO accounts VALUES (?, ?, ?)').bind(id, name, createdAt).run()
}

export const listAccounts = async (db: D1Database, { before, limit }: DirectoryPage): Promise<AccountRow[]> => {
  const { results } = await db
    .prepare(
      'SELECT id, name, created_at AS createdAt FROM accounts WHERE ?1 IS NULL OR id < ?1 ORDER BY id DESC LIMIT ?2',
    )
    .bind(before, limit)
    .all<AccountRow>()
  return results
}

/** Replaces the job's row, so repeated writes give the same result. */
export const recordJob = async (db: D1Database, accountId: string, job: Job): Promise<void> => {
  await db
    .prepare('INSERT OR REPLACE INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
    .bind(
      accountId,
      positionOf(job.id),
      job.id,
      job.kind,
      job.state,
      job.request.url,
      job.kind === 'import' ? (job.result?.title ?? null) : null,
      job.createdAt,
      job.startedAt,
      job.completedAt,
      job.removedAt,
      job.result?.costMicros ?? null,
      job.failure?.code ?? null,
    )
    .run()
}

/** Callers see a running transcription as queued (see job-status.ts), so lists show and filter it as queued. */
const SHOWN_STATE = "iif(kind = 'transcription' AND state = 'running', 'queued', state)"

export const listJobs = async (
  db: D1Database,
  accountId: string,
  filter: { kind: JobKind | null; state: JobState | null },
  { before, limit }: DirectoryPage,
): Promise<ListedJob[]> => {
  const { results } = await db
    .prepare(
      `SELECT id, kind, ${SHOWN_STATE} AS state, url, title, created_at AS createdAt, started_at AS startedAt,
              completed_at AS completedAt, removed_at AS removedAt, cost_micros AS costMicros,
              failure_code AS failureCode
         FROM jobs
        WHERE account_id = ?1 AND (?2 IS NULL OR position < ?2) AND (?3 IS NULL OR kind = ?3)
          AND (?4 IS NULL OR ${SHOWN_STATE} = ?4)
        ORDER BY position DESC LIMIT ?5`,
    )
    .bind(accountId, before, filter.kind, filter.state, limit)
    .all<ListedJob>()
  return results
}

/** A caller's secret, sealed, with the part of it that may be shown. */
export interface Credential {
  /** Names the secret within the account, for example `provider/openai`. The seal is bound to it. */
  record: string
  sealed: string
  /** JSON. */
  shown: string
  updatedAt: number
}

export const putCredential = async (
  db: D1Database,
  accountId: string,
  { record, sealed, shown, updatedAt }: Credential,
): Promise<void> => {
  await db
    .prepare('INSERT OR REPLACE INTO credentials VALUES (?, ?, ?, ?, ?)')
    .bind(accountId, record, sealed, shown, updatedAt)
    .run()
}

export const findCredential = (db: D1Database, accountId: string, record: string): Promise<Credential | null> =>
  db
    .prepare(
      'SELECT record, sealed, shown, updated_at AS updatedAt FROM credentials WHERE account_id = ? AND record = ?',
    )
    .bind(accountId, record)
    .first<Credential>()

/** False if there was none. */
export const removeCredential = async (db: D1Database, accountId: string, record: string): Promise<boolean> => {
  const { meta } = await db
    .prepare('DELETE FROM credentials WHERE account_id = ? AND record = ?')
    .bind(accountId, record)
    .run()
  return meta.changes > 0
}

/** For key rotation: a page of all accounts' credentials, ordered by primary key. */
export const listCredentials = async (
  db: D1Database,
  after: { accountId: string; record: string },
  limit: number,
): Promise<(Pick<Credential, 'record' | 'sealed'> & { accountId: string })[]> => {
  const { results } = await db
    .prepare(
      `SELECT account_id AS accountId, record, sealed FROM credentials
        WHERE (account_id, record) > (?, ?) ORDER BY account_id, record LIMIT ?`,
    )
    .bind(after.accountId, after.record, limit)
    .all<Pick<Credential, 'record' | 'sealed'> & { accountId: string }>()
  return results
}

/** Replaces the sealed text, unless the secret was changed in the meantime. */
export const resealCredential = async (
  db: D1Database,
  accountId: string,
  record: string,
  { from, to }: { from: string; to: string },
): Promise<void> => {
  await db
    .prepare('UPDATE credentials SET sealed = ? WHERE account_id = ? AND record = ? AND sealed = ?')
    .bind(to, accountId, record, from)
    .run()
}
