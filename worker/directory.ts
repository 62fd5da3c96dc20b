import { searched } from '../domain/jobs/job-filter.ts'
import { type Micros, micros } from '../domain/money/money.ts'

/** All queries of D1 are here and in listed-jobs.ts. Accounts and jobs are copies; credentials are only in D1. */
export interface ListedAccount {
  id: string
  name: string
  createdAt: number
  isSuspended: boolean
}

/** An account before its first use. Its object takes over the key and the credit. */
export interface NewAccount {
  id: string
  name: string
  createdAt: number
  key: { id: string; hash: string }
  credit: Micros
}

export interface DirectoryPage {
  before: string | null
  limit: number
}

export type Value = SqlStorageValue

export const query = (db: D1Database, sql: string, ...values: Value[]): D1PreparedStatement =>
  db.prepare(sql).bind(...values)

export const rows = async <Row>(db: D1Database, sql: string, ...values: Value[]): Promise<Row[]> =>
  (await query(db, sql, ...values).all<Row>()).results

const write = async (db: D1Database, sql: string, ...values: Value[]): Promise<number> =>
  (await query(db, sql, ...values).run()).meta.changes

export const addAccount = async (db: D1Database, { id, name, createdAt, key, credit }: NewAccount): Promise<void> => {
  const sql = `INSERT INTO accounts (id, name, searched_name, created_at, first_key_id, first_key_hash, first_credit_micros)
    VALUES (?, ?, ?, ?, ?, ?, ?)`
  await write(db, sql, id, name, searched(name), createdAt, key.id, key.hash, credit)
}

export interface RecordedAccount extends Pick<ListedAccount, 'id' | 'name' | 'isSuspended'> {
  version: number
  /** The web origins that its keys name. null: no key has ever named one. */
  origins: string[] | null
}

/**
 * An older `version` changes nothing. D1 forgets what the account began with: an object that lost its storage must not
 * begin again with a key that may be revoked and with a credit that was spent.
 */
export const recordAccount = async (
  db: D1Database,
  { id, name, isSuspended, version, origins }: RecordedAccount,
): Promise<void> => {
  const sql = `UPDATE accounts SET name = ?1, searched_name = ?2, suspended = ?3, version = ?4,
      first_key_id = NULL, first_key_hash = NULL, first_credit_micros = NULL
    WHERE id = ?5 AND version <= ?4`
  const account = query(db, sql, name, searched(name), isSuspended ? 1 : 0, version, id)
  if (origins === null) return void (await account.run())
  const isLatest = '(SELECT version FROM accounts WHERE id = ?1) = ?2'
  const named = JSON.stringify(origins)
  await db.batch([
    account,
    query(
      db,
      `DELETE FROM key_origins WHERE account_id = ?1 AND ${isLatest} AND origin NOT IN (SELECT value FROM json_each(?3))`,
      ...[id, version, named],
    ),
    query(
      db,
      `INSERT INTO key_origins (account_id, origin) SELECT ?1, value FROM json_each(?3) WHERE ${isLatest} ON CONFLICT DO NOTHING`,
      ...[id, version, named],
    ),
  ])
}

export const isNamedOrigin = async (db: D1Database, origin: string): Promise<boolean> =>
  (await rows(db, 'SELECT 1 FROM key_origins WHERE origin = ? LIMIT 1', origin)).length > 0

type FirstAccount = Omit<NewAccount, 'key' | 'credit'> &
  Record<'keyId' | 'hash', string | null> & { credit: number | null }

/** `founded`: the account has its object. null: there is no such account. */
export const findNewAccount = async (db: D1Database, accountId: string): Promise<NewAccount | 'founded' | null> => {
  const sql = `SELECT id, name, created_at AS createdAt, first_key_id AS keyId, first_key_hash AS hash,
      first_credit_micros AS credit FROM accounts WHERE id = ?`
  const [row] = await rows<FirstAccount>(db, sql, accountId)
  if (!row) return null
  const { keyId, hash, credit, ...about } = row
  return keyId && hash ? { ...about, key: { id: keyId, hash }, credit: micros(credit ?? 0) } : 'founded'
}

/** A search reads the table until its page is full: a million accounts cost a tenth of a cent. */
export const listAccounts = async (
  db: D1Database,
  name: string | null,
  { before, limit }: DirectoryPage,
): Promise<ListedAccount[]> => {
  const found = await rows<Omit<ListedAccount, 'isSuspended'> & { suspended: number }>(
    db,
    `SELECT id, name, created_at AS createdAt, suspended FROM accounts
      WHERE (?1 IS NULL OR id < ?1) AND (?2 IS NULL OR instr(searched_name, ?2) > 0) ORDER BY id DESC LIMIT ?3`,
    ...[before, name && searched(name), limit],
  )
  return found.map(({ suspended, ...account }) => ({ ...account, isSuspended: suspended === 1 }))
}

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
  const sql = `INSERT OR REPLACE INTO credentials (account_id, record, sealed, shown, updated_at)
    VALUES (?, ?, ?, ?, ?)`
  await write(db, sql, accountId, record, sealed, shown, updatedAt)
}

export const findCredential = async (db: D1Database, accountId: string, record: string): Promise<Credential | null> => {
  const sql =
    'SELECT record, sealed, shown, updated_at AS updatedAt FROM credentials WHERE account_id = ? AND record = ?'
  return query(db, sql, accountId, record).first<Credential>()
}

export const removeCredential = async (db: D1Database, accountId: string, record: string): Promise<boolean> =>
  (await write(db, 'DELETE FROM credentials WHERE account_id = ? AND record = ?', accountId, record)) > 0

/** A page of all accounts' credentials, by primary key. Key rotation reads them all. */
export const listCredentials = (
  db: D1Database,
  after: { accountId: string; record: string },
  limit: number,
): Promise<(Pick<Credential, 'record' | 'sealed'> & { accountId: string })[]> =>
  rows(
    db,
    `SELECT account_id AS accountId, record, sealed FROM credentials
      WHERE (account_id, record) > (?, ?) ORDER BY account_id, record LIMIT ?`,
    ...[after.accountId, after.record, limit],
  )

/** Replaces the sealed text, unless the secret was changed in the meantime. */
export const resealCredential = async (
  db: D1Database,
  accountId: string,
  record: string,
  { from, to }: { from: string; to: string },
): Promise<void> => {
  const sql = 'UPDATE credentials SET sealed = ? WHERE account_id = ? AND record = ? AND sealed = ?'
  await write(db, sql, to, accountId, record, from)
}
