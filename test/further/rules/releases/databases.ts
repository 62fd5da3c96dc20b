import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadProductModule } from '../../../simulation/platform/modules.ts'
import { SqlDatabase } from '../../../simulation/platform/sql.ts'

/** The databases of the product: D1, and one of each class of objects. */
export const databaseNames = ['DB', 'ACCOUNTS', 'FLEET_OBJECTS', 'METRICS', 'WORDS'] as const
export type DatabaseName = (typeof databaseNames)[number]

/** The schema of a release. `version`: how many migrations made it. */
export interface Schema {
  version: number
  /** The statements that create it. */
  schema: string[]
}

type Sql = Pick<SqlDatabase, 'exec'>
type Migrate = (database: SqlDatabase, from: number) => void

const migrationsFolder = join(import.meta.dirname, '../../../../migrations')
const d1Migrations = readdirSync(migrationsFolder)
  .filter((name) => name.endsWith('.sql'))
  .sort()

/** What a deployment, or an object when it is called, does with a database of an earlier version. */
const migrations: Record<DatabaseName, Migrate> = {
  DB: (database, from) => {
    for (const name of d1Migrations.slice(from)) applyD1Migration(name, database)
  },
  ACCOUNTS: (database) => {
    const { migrate } = loadProductModule<{ migrate(sql: Sql, versions: unknown): void }>('worker/sqlite.ts')
    const { accountVersions } = loadProductModule<{ accountVersions: unknown }>('worker/account/schema.ts')
    migrate(database, accountVersions)
  },
  FLEET_OBJECTS: (database) => {
    const { FleetRows } = loadProductModule<{ FleetRows: new (sql: Sql) => unknown }>('worker/fleet/rows.ts')
    new FleetRows(database)
  },
  METRICS: (database) => {
    const { MetricsRows } = loadProductModule<{ MetricsRows: new (sql: Sql) => unknown }>(
      'worker/metrics/metrics-object.ts',
    )
    new MetricsRows(database)
  },
  WORDS: (database) => {
    const { openIndex } = loadProductModule<{ openIndex(storage: object): void }>('worker/search/index-rows.ts')
    openIndex({ sql: database, transactionSync: (act: () => unknown) => act() })
  },
}

export const applyD1Migration = (name: string, { database }: SqlDatabase): void =>
  database.exec(readFileSync(join(migrationsFolder, name), 'utf8'))

/** A database as this version of the code makes it from nothing. */
export const newDatabase = (name: DatabaseName): SqlDatabase => {
  const database = new SqlDatabase()
  migrateToday(name, database, 0)
  return database
}

export const migrateToday = (name: DatabaseName, database: SqlDatabase, from: number): void =>
  migrations[name](database, from)

/** A database of a release. An object counts its migrations in a table of its own. */
export const databaseOf = ({ version, schema }: Schema): SqlDatabase => {
  const database = new SqlDatabase()
  for (const statement of schema) database.exec(statement)
  if (schema.some((statement) => statement.includes(VERSION_TABLE)))
    for (let each = 1; each <= version; each++) database.exec(`INSERT INTO ${VERSION_TABLE} (version) VALUES (?)`, each)
  return database
}

export const schemaOf = (name: DatabaseName): Schema => {
  const database = newDatabase(name)
  const schema = database
    .exec(
      `SELECT sql FROM sqlite_master
         WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND name NOT IN (${TABLES_OF_FTS5}) ORDER BY rowid`,
    )
    .toArray()
    .map(({ sql }) => onOneLine(`${sql}`))
  const version =
    name === 'DB'
      ? d1Migrations.length
      : Number(database.exec(`SELECT max(version) AS version FROM ${VERSION_TABLE}`).one().version)
  database.close()
  return { version, schema }
}

/** Without comments. */
export const onOneLine = (sql: string): string =>
  sql
    .replaceAll(/--[^\n]*/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()

const VERSION_TABLE = 'schema_version'
/** A virtual table creates them itself. */
const TABLES_OF_FTS5 = "SELECT name FROM pragma_table_list WHERE type = 'shadow'"
