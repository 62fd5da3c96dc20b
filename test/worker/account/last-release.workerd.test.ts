import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { newId } from '../../../domain/ids.ts'
import { micros } from '../../../domain/money/money.ts'
import { defaultPrices, freePrices } from '../../../domain/money/prices.ts'
import { defaultTerms } from '../../../domain/terms.ts'
import { AccountRows } from '../../../worker/account/account-rows.ts'
import { migrateAccount } from '../../../worker/account/entry/account-migration.ts'
import { settle, totals } from '../../../worker/account/holds-and-ledger.ts'
import { accountVersions } from '../../../worker/account/schema.ts'
import { migrate } from '../../../worker/sqlite.ts'
import recorded from '../../further/rules/releases/last/statements.json' with { type: 'json' }
import { importRequest } from '../support/account.ts'

/** An account that the last release has left, in an object that is none, so that only this file makes its tables. */
const withLastRelease = <T>(look: (sql: SqlStorage) => T): Promise<T> =>
  runInDurableObject(env.ACCOUNTS.getByName(newId('account', Date.now())), (_, { storage: { sql } }) => {
    migrate(sql, accountVersions.slice(0, recorded.ACCOUNTS.version))
    sql.exec(
      "INSERT INTO account (id, name, created_at, balance_micros, held_micros) VALUES ('acct_old', 'old', 1, 900000, 50000)",
    )
    return look(sql)
  })

test('a job in flight is charged by the usual prices, although everything has become free since', async () => {
  const id = newId('import', Date.now())
  const { job, charged, after, entries } = await withLastRelease((sql) => {
    sql.exec(
      `INSERT INTO jobs (id, kind, state, request, created_at, step, attempts, lease_number, held_micros)
       VALUES (?, 'import', 'running', ?, 1, 'fetch', 1, 1, 50000)`,
      id,
      JSON.stringify(importRequest()),
    )
    migrate(sql, accountVersions)
    const rows = new AccountRows(sql, { ...defaultTerms, prices: freePrices })
    const found = rows.findJob(id)
    if (!found) throw new Error('the job is gone')
    const job = { ...found }
    const charged = settle(rows, found, micros(20_000), 5)
    rows.save()
    const entries = sql.exec('SELECT kind, amount_micros, key_id FROM ledger ORDER BY id').toArray()
    return { job, charged, after: totals(rows), entries }
  })
  expect(job).toMatchObject({ prices: defaultPrices, keyId: null, held: 50_000 })
  expect(charged).toBe(20_000)
  expect(after).toEqual({ balance: 880_000, held: 0, available: 880_000 })
  expect(entries).toEqual([
    { kind: 'charge', amount_micros: -20_000, key_id: null },
    { kind: 'release', amount_micros: 30_000, key_id: null },
  ])
})

test('the amounts of an account cannot become negative', () =>
  withLastRelease((sql) => {
    migrate(sql, accountVersions)
    for (const change of ['held_micros = -1', 'held_micros = balance_micros + 1', 'balance_micros = -1']) {
      expect(() => sql.exec(`UPDATE account SET ${change}`)).toThrow('CHECK')
    }
    sql.exec("INSERT INTO jobs (id, kind, state, request, created_at) VALUES ('imp_1', 'import', 'queued', '{}', 1)")
    expect(() => sql.exec('UPDATE jobs SET held_micros = -1')).toThrow('CHECK')
  }))

test('the bookmark from before a migration is stored', async () => {
  const object = env.ACCOUNTS.getByName(newId('account', Date.now()))
  const { before, after, versions } = await runInDurableObject(object, async (_, state) => {
    const { sql } = state.storage
    migrate(sql, accountVersions.slice(0, -1))
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
