import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { newId } from '../../../domain/ids.ts'
import { scopes } from '../../../domain/keys.ts'
import { micros } from '../../../domain/money/money.ts'
import { defaultPrices, freePrices } from '../../../domain/money/prices.ts'
import { defaultTerms } from '../../../domain/terms.ts'
import { AccountRows } from '../../../worker/account/account-rows.ts'
import { settle, totals } from '../../../worker/account/holds-and-ledger.ts'
import { fullKey } from '../../../worker/account/keys/key-rows.ts'
import { accountVersions } from '../../../worker/account/schema.ts'
import { firstRow, migrate } from '../../../worker/sqlite.ts'
import recorded from '../../releases/last/statements.json' with { type: 'json' }
import { importRequest } from '../support/account.ts'

/** An account that the last release has left, in an object that is none, so that only this file makes its tables. */
const withLastRelease = <T>(look: (sql: SqlStorage) => T): Promise<T> =>
  runInDurableObject(env.ACCOUNTS.getByName(newId('account', Date.now())), (_, { storage: { sql } }) => {
    migrate(sql, accountVersions.slice(0, recorded.ACCOUNTS.version))
    sql.exec(
      "INSERT INTO account (id, name, created_at, balance_micros, held_micros) VALUES ('acct_old', 'old', 1, 900000, 50000)",
    )
    sql.exec(
      "INSERT INTO keys (hash, id, created_at, revoked_at) VALUES ('hash', 'key_1', 1, NULL), ('gone', 'key_2', 1, 2)",
    )
    return look(sql)
  })

const isLiveForLastRelease = (sql: SqlStorage, hash: string): boolean =>
  firstRow(sql, 'SELECT 1 FROM keys WHERE hash = ? AND revoked_at IS NULL', hash) !== undefined

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

test('the keys of the last release have all scopes and no limit, and what was revoked stays so', async () => {
  const [live, gone] = await withLastRelease((sql) => {
    migrate(sql, accountVersions)
    const { keys } = new AccountRows(sql, defaultTerms)
    return [keys.live('hash', 10), keys.live('gone', 10)]
  })
  expect(live).toMatchObject({ id: 'key_1', scopes, monthlyBudget: null, expiresAt: null, origins: [], madeBy: null })
  expect(gone).toBeNull()
})

test('after a rollback the last release knows the keys that may do everything, and refuses those with limits', async () => {
  const seen = await withLastRelease((sql) => {
    migrate(sql, accountVersions)
    const { keys } = new AccountRows(sql, defaultTerms)
    const made = (id: string, changes: object) =>
      keys.save({ ...fullKey({ id, hash: `hash of ${id}` }, 5), ...changes })
    made('full', { name: 'full' })
    made('reader', { scopes: ['read'] })
    made('thrifty', { monthlyBudget: micros(1) })
    made('brief', { expiresAt: 100 })
    made('page', { origins: ['https://app.example'] })
    const known = ['full', 'reader', 'thrifty', 'brief', 'page'].filter((id) =>
      isLiveForLastRelease(sql, `hash of ${id}`),
    )
    // What it adds and revokes meanwhile is known when this version comes back.
    sql.exec("INSERT INTO keys (hash, id, created_at) VALUES ('later', 'key_3', 7) ON CONFLICT DO NOTHING")
    sql.exec("UPDATE keys SET revoked_at = coalesce(revoked_at, 8) WHERE id = 'reader'")
    const back = new AccountRows(sql, defaultTerms).keys
    return {
      known,
      later: back.live('later', 9)?.scopes,
      reader: back.live('hash of reader', 9),
      page: back.live('hash of page', 9),
    }
  })
  expect(seen).toMatchObject({
    known: ['full'],
    later: scopes,
    reader: null,
    page: { origins: ['https://app.example'] },
  })
})
