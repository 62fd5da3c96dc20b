import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import {
  applyD1Migration,
  type DatabaseName,
  databaseNames,
  databaseOf,
  migrateToday,
  newDatabase,
  type Schema,
} from './databases.ts'
import recorded from './last/statements.json' with { type: 'json' }
import type { Statement, Statements } from './record-statements.ts'
import { brokenStatements, fill } from './statement-check.ts'

interface Release extends Schema {
  statements: Statement[]
}

/** `npm run release:record` writes it. A database that is new in this version is not in it. */
const last: Partial<Record<DatabaseName, Release>> & { DB: Release } = recorded
const lastReleases = databaseNames.flatMap((name) => (last[name] ? [[name, last[name]] as const] : []))

/** Enough for every statement that callers and jobs cause in D1. */
const HISTORIES = 3

const statementsOfToday = async (): Promise<Statements> => {
  const program = join(import.meta.dirname, 'record.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [program, `${HISTORIES}`], {
    maxBuffer: 64 * 1024 * 1024,
  })
  return JSON.parse(stdout)
}

test.each(lastReleases)('the last release works with %s after the migrations of this version', (name, release) => {
  const own = databaseOf(release)
  const migrated = databaseOf(release)
  for (const database of [own, migrated]) fill(database, release.statements)
  migrateToday(name, migrated, release.version)
  expect(release.statements.length).toBeGreaterThan(5)
  expect(brokenStatements(release.statements, own, migrated)).toEqual([])
})

/**
 * The exceptions to the rule that columns of D1 are used one release after they were added. After D1 was restored to a time
 * before them, they are applied again: docs/operating.md. `npm run release:record` makes the list empty.
 */
const USED_AT_ONCE: string[] = []

test('this version works with D1 as the last release has left it, which may be restored', async () => {
  const { DB: statements } = await statementsOfToday()
  const own = newDatabase('DB')
  const restored = databaseOf(last.DB)
  for (const name of USED_AT_ONCE) applyD1Migration(name, restored)
  for (const database of [own, restored]) fill(database, statements)
  expect(statements.length).toBeGreaterThan(5)
  expect(brokenStatements(statements, own, restored)).toEqual([])
}, 600_000)
