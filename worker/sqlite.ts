/** Statements name their columns, so that a Worker that was rolled back can write to a newer schema. */
export type StoredRow = Record<string, SqlStorageValue>

/** SqlStorage's `one()` throws when there is no row. */
export const firstRow = <Row extends StoredRow>(
  sql: SqlStorage,
  query: string,
  ...bindings: SqlStorageValue[]
): Row | undefined => sql.exec<Row>(query, ...bindings).toArray()[0]

/** The only column of the first row. null: there is no row, or its value is NULL. */
export const firstValue = <Value extends SqlStorageValue>(
  sql: SqlStorage,
  query: string,
  ...bindings: SqlStorageValue[]
): Value | null => (Object.values(firstRow(sql, query, ...bindings) ?? {})[0] as Value | undefined) ?? null

const versionTable = 'schema_version'

/** An object exists as soon as it is called, but has tables only once it was migrated. */
export const hasTables = (sql: SqlStorage): boolean =>
  firstRow(sql, 'SELECT 1 FROM sqlite_master WHERE name = ?', versionTable) !== undefined

export const schemaVersion = (sql: SqlStorage): number =>
  sql.exec<{ version: number }>(`SELECT coalesce(max(version), 0) AS version FROM ${versionTable}`).one().version

/** Call it in a transaction. `bookmark`: what the database was before, for a recovery. */
export const migrate = (sql: SqlStorage, versions: readonly string[], bookmark: string | null = null): void => {
  sql.exec(`CREATE TABLE IF NOT EXISTS ${versionTable} (version INTEGER PRIMARY KEY, bookmark TEXT) WITHOUT ROWID`)
  const current = schemaVersion(sql)
  if (current >= versions.length) return
  versions.slice(current).forEach((statements, index) => {
    sql.exec(statements)
    sql.exec(`INSERT INTO ${versionTable} (version, bookmark) VALUES (?, ?)`, current + index + 1, bookmark)
  })
}

export interface Field<Value> {
  columns: readonly string[]
  read(stored: StoredRow): Value
  write(value: Value): StoredRow
}

const inColumn = <Value>(
  column: string,
  read: (stored: SqlStorageValue) => Value,
  write: (value: Value) => SqlStorageValue,
): Field<Value> => ({
  columns: [column],
  read: (stored) => read(stored[column] ?? null),
  write: (value) => ({ [column]: write(value) }),
})

export const plain = <Value extends string | number | null>(column: string): Field<Value> =>
  inColumn(
    column,
    (stored) => stored as Value,
    (value) => value,
  )

/** Each in the column with its name in snake_case. */
export const plains = <Name extends string>(...names: Name[]): Record<Name, Field<never>> => {
  const columnOf = (name: Name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return Object.fromEntries(names.map((name) => [name, plain(columnOf(name))])) as Record<Name, Field<never>>
}

export const flag = (column: string): Field<boolean> =>
  inColumn(
    column,
    (stored) => stored === 1,
    (value) => (value ? 1 : 0),
  )

export const json = <Value>(column: string): Field<Value> =>
  inColumn(column, (stored) => JSON.parse(stored as string) as Value, JSON.stringify)

/** `none` is stored as NULL. */
export const jsonOr = <Value>(none: Value, column: string): Field<Value> => {
  const textOfNone = JSON.stringify(none)
  return inColumn(
    column,
    (stored) => (stored === null ? none : (JSON.parse(stored as string) as Value)),
    (value) => {
      const text = JSON.stringify(value)
      return text === textOfNone ? null : text
    },
  )
}

export type FieldsOf<Row> = { [Name in keyof Row]-?: Field<Row[Name]> }

export const insertText = (verb: string, table: string, stored: StoredRow): string => {
  const columns = Object.keys(stored)
  return `${verb} INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
}

export class Table<Row extends object> {
  readonly #name: string
  readonly #fields: [keyof Row, Field<unknown>][]

  constructor(name: string, fields: FieldsOf<Row>) {
    this.#name = name
    this.#fields = Object.entries(fields) as unknown as [keyof Row, Field<unknown>][]
  }

  get columns(): string[] {
    return this.#fields.flatMap(([, { columns }]) => columns)
  }

  /** `rest` follows the table's name in the query. */
  select(sql: SqlStorage, rest: string, ...bindings: SqlStorageValue[]): Row[] {
    const query = `SELECT * FROM ${this.#name} ${rest}`
    return sql
      .exec<StoredRow>(query, ...bindings)
      .toArray()
      .map((stored) => this.read(stored))
  }

  first(sql: SqlStorage, rest: string, ...bindings: SqlStorageValue[]): Row | null {
    return this.select(sql, rest, ...bindings)[0] ?? null
  }

  insert(sql: SqlStorage, row: Partial<Row>): void {
    this.#insert(sql, 'INSERT', row)
  }

  insertOrReplace(sql: SqlStorage, row: Partial<Row>): void {
    this.#insert(sql, 'INSERT OR REPLACE', row)
  }

  update(sql: SqlStorage, row: Partial<Row>, where: string, ...bindings: SqlStorageValue[]): void {
    this.updateColumns(sql, this.write(row), where, ...bindings)
  }

  updateColumns(sql: SqlStorage, stored: StoredRow, where: string, ...bindings: SqlStorageValue[]): void {
    const set = Object.keys(stored).map((column) => `${column} = ?`)
    sql.exec(`UPDATE ${this.#name} SET ${set.join(', ')} WHERE ${where}`, ...Object.values(stored), ...bindings)
  }

  delete(sql: SqlStorage, where: string, ...bindings: SqlStorageValue[]): void {
    sql.exec(`DELETE FROM ${this.#name} WHERE ${where}`, ...bindings)
  }

  read(stored: StoredRow): Row {
    return Object.fromEntries(this.#fields.map(([name, field]) => [name, field.read(stored)])) as Row
  }

  write(row: Partial<Row>): StoredRow {
    const stored: StoredRow = {}
    for (const [name, field] of this.#fields) if (name in row) Object.assign(stored, field.write(row[name]))
    return stored
  }

  #insert(sql: SqlStorage, verb: string, row: Partial<Row>): void {
    const stored = this.write(row)
    sql.exec(insertText(verb, this.#name, stored), ...Object.values(stored))
  }
}

/** The columns whose values differ from what was saved. */
export const changedColumns = (stored: StoredRow, saved: StoredRow): StoredRow =>
  Object.fromEntries(Object.entries(stored).filter(([column, value]) => value !== saved[column]))
