import { expect, test } from 'vitest'
import { databaseOf } from './databases.ts'
import { brokenStatements, fill } from './statement-check.ts'

const schema = ['CREATE TABLE jobs (id TEXT PRIMARY KEY, state TEXT NOT NULL)']
const insert = { sql: 'INSERT INTO jobs (id, state) VALUES (?, ?)', bindings: ['imp_1', 'queued'] }
const read = { sql: 'SELECT * FROM jobs WHERE id = ?', bindings: ['imp_1'] }
const update = { sql: 'UPDATE jobs SET state = ? WHERE id = ?', bindings: ['running', 'imp_1'] }
const positional = { sql: 'INSERT INTO jobs VALUES (?, ?)', bindings: ['imp_2', 'queued'] }
const failing = { sql: "INSERT INTO jobs (id, state) VALUES (?, 'queued')", bindings: ['imp_1'] }
const wrong = { sql: 'SELECT title FROM jobs', bindings: [] }

/** What the statements cannot do any more after the migration. `isFull`: there were rows before it. */
const brokenBy = (migration: string, statements: { sql: string; bindings: string[] }[], isFull = true): string[] => {
  const [own, migrated] = [databaseOf({ version: 1, schema }), databaseOf({ version: 1, schema })]
  if (isFull) for (const database of [own, migrated]) fill(database, [insert])
  migrated.exec(migration)
  return brokenStatements(statements, own, migrated)
}

const all = [insert, read, update, positional, failing]
const named = all.filter((statement) => statement !== positional)

test('a new column with a default breaks only statements that do not name their columns', () => {
  const migration = "ALTER TABLE jobs ADD COLUMN title TEXT NOT NULL DEFAULT ''"
  expect(brokenBy(migration, named)).toEqual([])
  expect(brokenBy(migration, all)).toEqual([
    expect.stringContaining('table jobs has 3 columns but 2 values were supplied'),
  ])
})

test('a new column that must not be null and has no default breaks each insert', () => {
  const migration = 'ALTER TABLE jobs ADD COLUMN title TEXT NOT NULL'
  expect(brokenBy(migration, named, false)).toEqual([
    expect.stringContaining('NOT NULL constraint failed: jobs.title'),
    expect.stringContaining('NOT NULL constraint failed: jobs.title'),
  ])
  expect(() => brokenBy(migration, named)).toThrow('Cannot add a NOT NULL column')
})

test('a renamed column breaks what writes it, and what reads it by its name', () => {
  const broken = brokenBy('ALTER TABLE jobs RENAME COLUMN state TO status', named)
  expect(broken).toEqual([
    expect.stringContaining('table jobs has no column named state'),
    expect.stringContaining('the result has no column state: SELECT *'),
    expect.stringContaining('no such column: state'),
    expect.stringContaining('table jobs has no column named state'),
  ])
})

test('a removed table breaks all of its statements', () => {
  expect(brokenBy('DROP TABLE jobs', [read, update])).toEqual([
    expect.stringContaining('no such table: jobs'),
    expect.stringContaining('no such table: jobs'),
  ])
})

test('a statement that does not fit its own schema was recorded with another one', () => {
  const addTitle = 'ALTER TABLE jobs ADD COLUMN title TEXT'
  expect(brokenBy(addTitle, [wrong])).toEqual([expect.stringContaining('with the schema that it was recorded with')])
})
