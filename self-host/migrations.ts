import type { Miniflare } from 'miniflare'
import type { Migration } from './worker-build.ts'

/** As wrangler has it, so that `wrangler d1 migrations` sees the same. */
const TABLE = `CREATE TABLE IF NOT EXISTS d1_migrations(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`

type Database = Awaited<ReturnType<Miniflare['getD1Database']>>

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
