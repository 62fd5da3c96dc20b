import { afterEach, expect, test } from 'vitest'
import { Clock } from './clock.ts'
import { installGlobals } from './globals.ts'
import { loadProductModule } from './platform/modules.ts'
import { ObjectNamespace } from './platform/object.ts'
import type { ObjectStorage, storageOf } from './platform/object-storage.ts'
import type { SqlDatabase } from './platform/sql.ts'
import { Wire } from './platform/wire.ts'
import { createRandom } from './random.ts'

interface Context {
  storage: ReturnType<typeof storageOf>
}
interface Founding {
  isAccount(): boolean | Promise<boolean>
}
type Sql = Pick<SqlDatabase, 'exec'>

const { AccountFounding } = loadProductModule<{
  AccountFounding: new (ctx: Context, rows: { sql: Sql }, find: () => Promise<null>) => Founding
}>('worker/account/founding.ts')
const { accountVersions } = loadProductModule<{ accountVersions: string[] }>('worker/account/schema.ts')
const { migrate } = loadProductModule<{ migrate(sql: Sql, versions: string[]): void }>('worker/sqlite.ts')

/** The next release. */
accountVersions.push('ALTER TABLE keys ADD COLUMN of_the_next_version TEXT')
const to = accountVersions.length

/** The object of an account, as far as it founds and migrates. */
class Account {
  readonly #founding: Founding

  constructor(ctx: Context) {
    this.#founding = new AccountFounding(ctx, { sql: ctx.storage.sql }, async () => null)
  }

  isAccount(): boolean | Promise<boolean> {
    return this.#founding.isAccount()
  }
}

let globals: { uninstall(): void } | null = null
afterEach(() => globals?.uninstall())

/** An account that was evicted with the first versions of its schema. `evict` evicts it again. */
const openAccount = async (versions: number) => {
  const clock = new Clock()
  const logged: { level: string; [field: string]: unknown }[] = []
  globals = installGlobals(
    clock,
    createRandom('1'),
    () => Promise.reject(new Error('no internet')),
    (level, [line]) => logged.push({ level, ...JSON.parse(`${line}`) }),
  )
  const wire = new Wire(clock, () => 1)
  const objects = new ObjectNamespace({ name: 'ACCOUNTS', objectClass: Account as never, env: {}, wire, hooks: {} })
  const call = () => clock.settle((objects.binding.getByName('acct_1') as Account).isAccount() as Promise<boolean>)
  await call()
  objects.kill('acct_1')
  const { sqlDatabase: sql } = objects.storage('acct_1') as ObjectStorage
  migrate(sql, accountVersions.slice(0, versions))
  sql.exec("INSERT INTO keys (hash, id, created_at) VALUES ('hash', 'key_1', 1)")
  return { call, sql, logged, evict: () => objects.kill('acct_1') }
}

const versionsIn = (sql: Sql) => sql.exec('SELECT * FROM schema_version ORDER BY version DESC').toArray()

test('the bookmark from before a migration is logged and stored, and calls wait until it is done', async () => {
  const { call, sql, logged, evict } = await openAccount(to - 1)
  expect(await call()).toBe(true)
  const bookmark = expect.stringMatching(/^\d{8}$/)
  expect(logged).toEqual([{ level: 'log', event: 'account.migrated', accountId: 'acct_1', from: to - 1, to, bookmark }])
  expect(versionsIn(sql)[0]).toEqual({ version: to, bookmark: logged[0]?.bookmark })
  evict()
  expect(await call()).toBe(true)
  expect(logged).toHaveLength(1)
})

test('a migration that fails changes nothing, logs one line, and is tried again by the next call', async () => {
  const { call, sql, logged, evict } = await openAccount(to)
  // The last version runs again, and finds what it has made.
  sql.exec('DELETE FROM schema_version WHERE version = ?', to)
  const before = JSON.stringify(sql.exec('SELECT * FROM sqlite_master').toArray())
  await expect(call()).rejects.toThrow()
  const fields = { level: 'error', event: 'account.migration_failed', accountId: 'acct_1', from: to - 1, to }
  expect(logged).toEqual([
    { ...fields, bookmark: expect.any(String), error: expect.stringMatching(/exists|duplicate/) },
  ])
  expect(JSON.stringify(sql.exec('SELECT * FROM sqlite_master').toArray())).toBe(before)
  expect(sql.exec('SELECT id FROM keys').toArray()).toEqual([{ id: 'key_1' }])

  sql.exec('INSERT INTO schema_version (version) VALUES (?)', to)
  evict()
  expect(await call()).toBe(true)
  expect(logged).toHaveLength(1)
})

test('an account with a newer schema, as after a rollback, goes on with one warning', async () => {
  const { call, sql, logged } = await openAccount(to)
  sql.exec('INSERT INTO schema_version (version) VALUES (?)', to + 1)
  expect(await call()).toBe(true)
  expect(await call()).toBe(true)
  const fields = { event: 'account.schema_is_newer', accountId: 'acct_1', from: to + 1, to }
  expect(logged).toEqual([{ level: 'warn', ...fields }])
})
