import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { areApplied } from '../../../self-host/worker/migrations.ts'

const migrations = ['0001.sql', '0002.sql']
let storage: string
let databases: string

beforeEach(async () => {
  storage = await mkdtemp(join(tmpdir(), 'haul-migrations-'))
  databases = join(storage, 'd1/miniflare-D1DatabaseObject')
  await mkdir(databases, { recursive: true })
  onTestFinished(() => rm(storage, { recursive: true, force: true }))
})

const write = (file: string, names: string[]) => {
  const database = new DatabaseSync(join(databases, file))
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE d1_migrations (name TEXT)')
  for (const name of names) database.prepare('INSERT INTO d1_migrations VALUES (?)').run(name)
  database.close()
}

test.each([
  ['all of the migrations', ['0001.sql', '0002.sql'], true],
  ['those of a later version too', ['0001.sql', '0002.sql', '0003.sql'], true],
  ['one of two', ['0001.sql'], false],
])('what is applied is read from the database: %s', async (_, names, expected) => {
  write('a.sqlite', names)
  expect(await areApplied(storage, migrations)).toBe(expected)
})

test('what cannot be read counts as not applied', async () => {
  expect(await areApplied(join(storage, 'none'), migrations)).toBe(false)
  expect(await areApplied(storage, migrations)).toBe(false)
  await writeFile(join(databases, 'a.sqlite'), 'no database')
  expect(await areApplied(storage, migrations)).toBe(false)
  await rm(join(databases, 'a.sqlite'))
  for (const file of ['a.sqlite', 'b.sqlite']) write(file, ['0001.sql', '0002.sql'])
  expect(await areApplied(storage, migrations)).toBe(false)
})
