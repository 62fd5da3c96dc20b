import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Cursor, SqlDatabase } from './sql.ts'
import type { CallFault, Wire } from './wire.ts'

export interface D1Hooks {
  onQuery?(query: string): CallFault | undefined
  onStatement?(text: string, bindings: readonly unknown[]): void
}

interface Result {
  success: true
  results: object[]
  meta: { changes: number; rows_read: number; rows_written: number; last_row_id: number; duration: number }
}

const migrationsFolder = join(import.meta.dirname, '../../../migrations')
let migrations: string[] | null = null

const readMigrations = (): string[] => {
  migrations ??= readdirSync(migrationsFolder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => readFileSync(join(migrationsFolder, name), 'utf8'))
  return migrations
}

/** D1 with the real migrations. A failure before the effect is a lost request, one after it a lost response. */
export class D1Database {
  readonly sqlDatabase = new SqlDatabase()
  readonly #wire: Wire
  readonly #hooks: D1Hooks

  constructor(wire: Wire, hooks: D1Hooks = {}) {
    this.#wire = wire
    this.#hooks = hooks
    for (const migration of readMigrations()) this.sqlDatabase.database.exec(migration)
  }

  readonly prepare = (query: string): Prepared => new Prepared(this, query, [])

  readonly batch = (statements: Prepared[]): Promise<Result[]> =>
    this.call('batch', () => {
      this.sqlDatabase.exec('BEGIN')
      try {
        const results = statements.map((statement) => statement.runNow())
        this.sqlDatabase.exec('COMMIT')
        return results
      } catch (cause) {
        this.sqlDatabase.exec('ROLLBACK')
        throw cause
      }
    })

  run(query: string, bindings: readonly unknown[]): Cursor {
    this.#hooks.onStatement?.(query, bindings)
    return this.sqlDatabase.exec(query, ...bindings)
  }

  call<T>(query: string, act: () => T): Promise<T> {
    const lost = () => new Error('D1_ERROR: Network connection lost.')
    return this.#wire.call('d1', this.#hooks.onQuery?.(query), lost, act)
  }
}

class Prepared {
  readonly #database: D1Database
  readonly #query: string
  readonly #values: unknown[]

  constructor(database: D1Database, query: string, values: unknown[]) {
    this.#database = database
    this.#query = query
    this.#values = values
  }

  bind(...values: unknown[]): Prepared {
    if (values.includes(undefined))
      throw new Error("D1_TYPE_ERROR: Type 'undefined' not supported for value 'undefined'")
    return new Prepared(this.#database, this.#query, values)
  }

  /** Without the way there and back. */
  runNow(): Result {
    try {
      const cursor = this.#database.run(this.#query, this.#values)
      const { rowsRead, rowsWritten } = cursor
      const meta = { changes: rowsWritten, rows_read: rowsRead, rows_written: rowsWritten, last_row_id: 0, duration: 0 }
      return { success: true, results: cursor.toArray().map((row) => ({ ...row })), meta }
    } catch (cause) {
      throw new Error(`D1_ERROR: ${(cause as Error).message}`, { cause })
    }
  }

  run(): Promise<Result> {
    return this.#database.call(this.#query, () => this.runNow())
  }

  all(): Promise<Result> {
    return this.run()
  }

  async first(column?: string): Promise<unknown> {
    const [row] = (await this.run()).results as Record<string, unknown>[]
    if (row === undefined) return null
    return column === undefined ? row : row[column]
  }

  async raw(): Promise<unknown[][]> {
    return (await this.run()).results.map((row) => Object.values(row))
  }
}
