import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { newId } from '../../../domain/ids.ts'
import { migrateAccount } from '../../../worker/account/founding.ts'
import { accountVersions } from '../../../worker/account/schema.ts'
import { migrate } from '../../../worker/sqlite.ts'

/** An object that is no account, so that only this file makes its tables. */
const withObject = <T>(look: (state: DurableObjectState) => Promise<T>): Promise<T> =>
  runInDurableObject(env.ACCOUNTS.getByName(newId('account', Date.now())), (_, state) => look(state))

test('the amounts of an account cannot become negative', () =>
  withObject(async ({ storage: { sql } }) => {
    migrate(sql, accountVersions)
    sql.exec(
      "INSERT INTO account (id, name, created_at, balance_micros, held_micros) VALUES ('acct_1', 'test', 1, 900000, 50000)",
    )
    for (const change of ['held_micros = -1', 'held_micros = balance_micros + 1', 'balance_micros = -1']) {
      expect(() => sql.exec(`UPDATE account SET ${change}`)).toThrow('CHECK')
    }
    sql.exec("INSERT INTO jobs (id, kind, state, request, created_at) VALUES ('imp_1', 'import', 'queued', '{}', 1)")
    expect(() => sql.exec('UPDATE jobs SET held_micros = -1')).toThrow('CHECK')
  }))

test('the bookmark from before a migration is stored', () =>
  withObject(async (state) => {
    const { sql } = state.storage
    migrate(sql, accountVersions)
    const before = await state.storage.getCurrentBookmark()
    accountVersions.push('CREATE TABLE of_the_next_version (id TEXT)')
    try {
      await migrateAccount(state, sql)
    } finally {
      accountVersions.pop()
    }
    const after = await state.storage.getCurrentBookmark()
    const versions = sql.exec('SELECT * FROM schema_version ORDER BY version').toArray()
    expect(versions).toEqual([
      { version: 1, bookmark: null },
      { version: 2, bookmark: expect.any(String) },
    ])
    // Later bookmarks are greater.
    const stored = `${versions[1]?.bookmark}`
    expect([before, stored, after].toSorted()).toEqual([before, stored, after])
  }))
