import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { failure } from '../../../domain/codes/failures.ts'
import { newId } from '../../../domain/ids.ts'
import { noTotals } from '../../../domain/metrics/job-totals.ts'
import { micros } from '../../../domain/money/money.ts'
import { defaultTerms } from '../../../domain/terms.ts'
import { AccountRows } from '../../../worker/account/account-rows.ts'
import { migrateAccount } from '../../../worker/account/entry/account-migration.ts'
import { totals } from '../../../worker/account/holds-and-ledger.ts'
import { failLiveJob } from '../../../worker/account/jobs/endings.ts'
import { accountVersions } from '../../../worker/account/schema.ts'
import { migrate } from '../../../worker/sqlite.ts'
import { importRequest } from '../support/account.ts'

/** Accounts that were deployed with an earlier schema. */
const DAY_MS = 86_400_000
const request = JSON.stringify(importRequest())
const at = Date.now() - DAY_MS
const [queued, running, done] = [newId('import', at), newId('import', at + 1), newId('import', at + 2)]

/** The state of an account of version 5: a job that waits, one that runs, and one whose end is not in D1 yet. */
const addVersion5 = (sql: SqlStorage): void => {
  sql.exec("INSERT INTO account VALUES ('acct_old', 'old', 1, 900000, 30000)")
  sql.exec("INSERT INTO keys VALUES ('hash', 'key_1', 1, NULL)")
  sql.exec("INSERT INTO windows VALUES ('import', ?, 3)", at)
  const job =
    'INSERT INTO jobs (id, kind, state, request, created_at, step, attempts, lease_number, lease, lease_until)'
  sql.exec(`${job} VALUES (?, 'import', 'queued', ?, ?, 'fetch', 0, 0, NULL, NULL)`, queued, request, at)
  sql.exec(`${job} VALUES (?, 'import', 'running', ?, ?, 'fetch', 1, 2, 'lease', ?)`, running, request, at, at + DAY_MS)
  sql.exec(`${job} VALUES (?, 'import', 'failed', ?, ?, NULL, 3, 3, NULL, NULL)`, done, request, at)
  sql.exec('INSERT INTO holds VALUES (?, 10000), (?, 20000)', queued, running)
  sql.exec("INSERT INTO uploads VALUES ('media/x/2/media', ?, 'upload', 0), ('kept', ?, NULL, 1)", running, running)
  sql.exec("INSERT INTO schedule VALUES ('resend', ?, 7), ('deadline', ?, 9), ('lease', ?, 8)", queued, queued, running)
  sql.exec("INSERT INTO schedule VALUES ('expire', 'imp_x', 10), ('forget', 'a key', 11)")
  const message = (body: { kind: string; [field: string]: unknown }) =>
    sql.exec('INSERT INTO outbox (kind, body, due_at) VALUES (?, ?, 1)', body.kind, JSON.stringify(body))
  message({ kind: 'record', jobId: done })
  message({ kind: 'step', jobId: done, step: 'deliver' })
  message({ kind: 'discard', key: 'media/y', uploadId: null })
}

/** In an object that is not an account, so that only the test's own statements make tables. */
const migrated = <T>(look: (rows: AccountRows) => T): Promise<T> =>
  runInDurableObject(env.ACCOUNTS.getByName(newId('account', Date.now())), (_, { storage: { sql } }) => {
    migrate(sql, accountVersions.slice(0, 5))
    addVersion5(sql)
    migrate(sql, accountVersions)
    return look(new AccountRows(sql, defaultTerms))
  })

test('a job that waits keeps its hold and the time of its next message', async () => {
  const [job, money] = await migrated((rows) => [rows.findJob(queued), totals(rows)])
  expect(job).toMatchObject({ state: 'queued', held: 10_000, stepDueAt: 7, objects: [] })
  expect(money).toEqual({ balance: micros(900_000), held: micros(30_000), available: micros(870_000) })
})

test('a job that runs keeps its lease, its hold and its uploads', async () => {
  const { job, leased } = await migrated((rows) => ({
    job: rows.findJob(running),
    leased: rows.findLeasedJob({ jobId: running, lease: 'lease' }, at),
  }))
  expect(leased).not.toBeNull()
  expect(job).toMatchObject({
    held: 20_000,
    leaseNumber: 2,
    stepDueAt: null,
    objects: [
      { key: 'kept', uploadId: null, isKept: true },
      { key: 'media/x/2/media', uploadId: 'upload', isKept: false },
    ],
  })
})

test('after the migration, live and unrecorded jobs are open, and totals begin with zero', async () => {
  const account = await migrated(({ account }) => account)
  expect(account).toMatchObject({ openJobs: [queued, running, done].sort(), sweepAt: 0, totals: noTotals })
})

test('messages and tasks that follow from no row of a job stay, and D1 is told that the account has been founded', async () => {
  const due = await migrated(({ sql }) =>
    sql
      .exec<{ kind: string; ref: string; at: number; body: string | null }>('SELECT * FROM due ORDER BY at, kind')
      .toArray(),
  )
  const change = { kind: 'discard', objects: [{ key: 'media/y', uploadId: null }] }
  expect(due.map(({ body, ...row }) => ({ ...row, body: JSON.parse(body ?? 'null') }))).toEqual([
    { kind: 'lists', ref: expect.any(String), at: 0, failures: 0, body: { kind: 'account' } },
    { kind: 'cleanup', ref: done, at: 1, failures: 0, body: null },
    { kind: 'media', ref: expect.any(String), at: 1, failures: 0, body: change },
    { kind: 'forget', ref: 'a key', at: 11, failures: 0, body: null },
  ])
})

test('jobs that ended before events had numbers have no event, and the next end has one', async () => {
  const { before, after } = await migrated((rows) => {
    const now = Date.now()
    const before = rows.events.after(0, 10, now)
    failLiveJob(rows, running, failure('CANCELED'), now)
    rows.save()
    rows.events.publish(now)
    return { before, after: rows.events.after(0, 10, now) }
  })
  expect(before).toEqual([])
  expect(after).toMatchObject([{ type: 'import.failed', subjectId: running }])
})

test('the bookmark from before a migration is stored', async () => {
  const object = env.ACCOUNTS.getByName(newId('account', Date.now()))
  const { before, after, versions } = await runInDurableObject(object, async (_, state) => {
    const { sql } = state.storage
    migrate(sql, accountVersions.slice(0, 5))
    const before = await state.storage.getCurrentBookmark()
    await migrateAccount(state, sql)
    const after = await state.storage.getCurrentBookmark()
    return { before, after, versions: sql.exec('SELECT * FROM schema_version ORDER BY version DESC').toArray() }
  })
  expect(versions).toHaveLength(accountVersions.length)
  expect(versions.at(-1)).toEqual({ version: 1, bookmark: null })
  const stored = `${versions[0]?.bookmark}`
  // Later bookmarks are greater.
  expect([before, stored, after].toSorted()).toEqual([before, stored, after])
})

test('the amounts of an account cannot become negative', async () => {
  await migrated(({ sql }) => {
    for (const change of ['held_micros = -1', 'held_micros = balance_micros + 1', 'balance_micros = -1']) {
      expect(() => sql.exec(`UPDATE account SET ${change}`)).toThrow('CHECK')
    }
    expect(() => sql.exec('UPDATE jobs SET held_micros = -1')).toThrow('CHECK')
  })
})
