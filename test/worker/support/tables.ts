import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import type { Upload } from '../../../domain/uploads/upload.ts'
import { jobTable, readJob } from '../../../worker/account/jobs/job-rows.ts'
import { readUpload } from '../../../worker/account/uploads/upload-rows.ts'
import type { Account } from './account.ts'

/**
 * What tests ask the tables of an account, of D1 and of other objects, where no call of the product tells it. Besides the
 * tests of the schema itself, only the files `tables` and `invariants` know columns. Nothing here makes something due:
 * `skip` in clock.ts moves the clock.
 */
export const inTables = <T>(object: object, act: (sql: SqlStorage) => T): Promise<T> =>
  runInDurableObject(object as DurableObjectStub, (_, { storage }) => act(storage.sql))

type Row = Record<string, SqlStorageValue>

export const rowsOf = (object: object, table: string): Promise<Row[]> =>
  inTables(object, (sql) => sql.exec<Row>(`SELECT * FROM ${table}`).toArray())

export const tableNames = (object: object): Promise<Row[]> =>
  inTables(object, (sql) => sql.exec("SELECT name FROM sqlite_master WHERE type = 'table'").toArray())

/** In the order of their ids. */
export const liveJobs = (sql: SqlStorage): string[] =>
  sql
    .exec<{ id: string }>("SELECT id FROM jobs WHERE state IN ('queued', 'running')")
    .toArray()
    .map(({ id }) => id)

/** As if all live jobs were admitted so much later: their time does not end while the test skips it. */
export const admitLater =
  (ms: number) =>
  (sql: SqlStorage): void =>
    void sql.exec("UPDATE jobs SET created_at = created_at + ? WHERE state IN ('queued', 'running')", ms)

/** Makes the rows of all jobs unreadable, and evicts the object, which keeps rows in memory. */
export const spoilJobs = async (account: Account, text: string): Promise<void> => {
  await inTables(account, (sql) => void sql.exec('UPDATE jobs SET request = ?', text))
  await evictDurableObject(account as never)
}

export const uploadsOf = (sql: SqlStorage): Upload[] =>
  sql
    .exec<{ id: string }>('SELECT id FROM uploads')
    .toArray()
    .flatMap(({ id }) => readUpload(sql, id) ?? [])

/** As many more jobs that are like this one. Their ids have a letter that generated ids never have. */
export const copyJob = (sql: SqlStorage, jobId: string, copies: number): void => {
  const job = readJob(sql, jobId)
  if (!job) throw new Error(`${jobId} is not stored`)
  for (let copy = 0; copy < copies; copy++) {
    jobTable.insert(sql, { ...job, id: `${jobId.slice(0, -5)}u${`${copy}`.padStart(4, '0')}` })
  }
}

/** The next transaction of the object fails when it is about to be committed. */
export const failNextTransaction = ({ storage }: DurableObjectState): void => {
  const inTransaction = storage.transactionSync.bind(storage)
  vi.spyOn(storage, 'transactionSync').mockImplementationOnce((act) =>
    inTransaction(() => {
      act()
      throw new Error('disk full')
    }),
  )
}

/** What is due now. */
export const dueNow = (sql: SqlStorage): { kind: string; attempts: number }[] =>
  sql.exec<{ kind: string; attempts: number }>('SELECT kind, attempts FROM due WHERE at <= ?', Date.now()).toArray()

/** As if what is due had failed so many times. */
export const failDue = (sql: SqlStorage, failures: number): void =>
  void sql.exec('UPDATE due SET attempts = ? WHERE body IS NOT NULL', failures)

/** From now on the changes of this kind are kept, because they leave the table when they are sent. */
export const keepChanges = (sql: SqlStorage, kind: string): void => {
  sql.exec(`CREATE TABLE kept_changes (body TEXT);
    CREATE TRIGGER keep_changes AFTER INSERT ON due WHEN NEW.body ->> 'kind' = '${kind}'
    BEGIN INSERT INTO kept_changes VALUES (NEW.body); END;`)
}

export const takeKeptChanges = <Change>(sql: SqlStorage): Change[] =>
  sql
    .exec<{ body: string }>('DELETE FROM kept_changes RETURNING body')
    .toArray()
    .map(({ body }) => JSON.parse(body))

/** No webhook can be written any more. */
export const hideDeliveries = (sql: SqlStorage): void => void sql.exec('ALTER TABLE deliveries RENAME TO hidden')

/** The account's jobs in D1. */
export const recordedJobs = async (accountId: string): Promise<{ id: string; state: string }[]> => {
  const query = env.DB.prepare('SELECT id, state FROM jobs WHERE account_id = ?')
  return (await query.bind(accountId).all<{ id: string; state: string }>()).results
}

/** Everything that a table of D1 has, as text. */
export const textInD1 = async (table: 'accounts' | 'credentials'): Promise<string> =>
  JSON.stringify((await env.DB.prepare(`SELECT * FROM ${table}`).all()).results)
