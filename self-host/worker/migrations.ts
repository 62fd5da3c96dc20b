import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Miniflare } from 'miniflare'
import type { Migration } from './worker-build.ts'

/** Wrangler makes the same table, so `wrangler d1 migrations` reads it. */
const TABLE = `CREATE TABLE IF NOT EXISTS d1_migrations(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`

type Database = Awaited<ReturnType<Miniflare['getD1Database']>>

/** The names are in the order in which wrangler applies them. */
export const migrationNames = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()

/** Applies those that the database does not have. Each is one transaction. */
export const applyMigrations = async (database: Database, migrations: Migration[]): Promise<void> => {
  await database.prepare(TABLE).run()
  const { results } = await database.prepare('SELECT name FROM d1_migrations').all<{ name: string }>()
  const applied = new Set(results.map(({ name }) => name))
  for (const { name, statements } of migrations.filter(({ name }) => !applied.has(name))) {
    const note = database.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name)
    await database.batch([...statements.map((statement) => database.prepare(statement)), note])
  }
}

/** Reads the database file, which nothing else has open, so that most starts need no second workerd. In doubt: false. */
export const areApplied = async (storage: string, names: string[]): Promise<boolean> => {
  // Miniflare has the files of D1 here. The Worker has one database.
  const folder = join(storage, 'd1/miniflare-D1DatabaseObject')
  const [file, ...others] = (await readdir(folder).catch(() => [])).filter(
    (name) => name.endsWith('.sqlite') && name !== 'metadata.sqlite',
  )
  if (!file || others.length > 0) return false
  const database = new DatabaseSync(join(folder, file), { readOnly: true })
  try {
    const rows = database.prepare('SELECT name FROM d1_migrations').all()
    const applied = new Set(rows.map(({ name }) => name))
    return names.every((name) => applied.has(name))
  } catch {
    return false
  } finally {
    database.close()
  }
}
