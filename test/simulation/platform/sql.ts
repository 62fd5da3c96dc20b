import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite'

type Value = ArrayBuffer | string | number | null
type Row = Record<string, Value>

interface Statement {
  prepared: StatementSync
  columnNames: string[]
  isWrite: boolean
}

/** A cursor that has read all of its rows. workerd's reads as far as it is asked. */
export class Cursor<T extends Row = Row> implements IterableIterator<T> {
  readonly columnNames: string[]
  readonly rowsWritten: number
  readonly #rows: T[]
  #next = 0

  constructor(rows: T[], columnNames: string[], rowsWritten: number) {
    this.#rows = rows
    this.columnNames = columnNames
    this.rowsWritten = rowsWritten
  }

  get rowsRead(): number {
    return this.#rows.length
  }

  next(): IteratorResult<T> {
    const value = this.#rows[this.#next]
    if (value === undefined) return { done: true, value: undefined }
    this.#next += 1
    return { done: false, value }
  }

  toArray(): T[] {
    const rest = this.#next === 0 ? this.#rows : this.#rows.slice(this.#next)
    this.#next = this.#rows.length
    return rest
  }

  one(): T {
    const [row, ...more] = this.toArray()
    if (row === undefined) throw new Error('Expected exactly one result from SQL query, but got no results.')
    if (more.length > 0) throw new Error('Expected exactly one result from SQL query, but got multiple results.')
    return row
  }

  *raw(): IterableIterator<Value[]> {
    for (const row of this) yield Object.values(row)
  }

  [Symbol.iterator](): this {
    return this
  }
}

/** https://sqlite.org/rescode.html: workerd's messages end with them. */
const constraints: Record<number, string> = {
  275: 'SQLITE_CONSTRAINT_CHECK',
  787: 'SQLITE_CONSTRAINT_FOREIGNKEY',
  1299: 'SQLITE_CONSTRAINT_NOTNULL',
  1555: 'SQLITE_CONSTRAINT_PRIMARYKEY',
  2067: 'SQLITE_CONSTRAINT_UNIQUE',
}

const nameOf = (code: number): string => {
  const extended = constraints[code]
  return extended === undefined ? 'SQLITE_ERROR' : `SQLITE_CONSTRAINT (extended: ${extended})`
}

/** A database in memory with a cache of its statements. */
export class SqlDatabase {
  #database = new DatabaseSync(':memory:')
  readonly #statements = new Map<string, Statement>()

  /** Of the text of several statements, the result of the last one is not read. */
  exec(text: string, ...bindings: unknown[]): Cursor {
    try {
      return this.#run(text, bindings)
    } catch (cause) {
      const { message, errcode } = cause as Error & { errcode?: number }
      if (errcode === undefined) throw cause
      throw new Error(`${message}: ${nameOf(errcode)}`, { cause })
    }
  }

  #run(text: string, bindings: unknown[]): Cursor {
    const statement = this.#statements.get(text) ?? this.#prepare(text)
    if (statement === null) return new Cursor([], [], 0)
    const { prepared, columnNames, isWrite } = statement
    const values = bindings.map(toSqlite)
    if (columnNames.length === 0) {
      const { changes } = prepared.run(...values)
      return new Cursor([], [], Number(changes))
    }
    const rows = (prepared.all(...values) as unknown as SQLOutputValue[][]).map((row) => toRow(columnNames, row))
    return new Cursor(rows, columnNames, isWrite ? rows.length : 0)
  }

  get database(): DatabaseSync {
    return this.#database
  }

  get sizeBytes(): number {
    const { bytes } = this.exec('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size').one()
    return Number(bytes)
  }

  /** Empty, as a new one. */
  reset(): void {
    this.close()
    this.#database = new DatabaseSync(':memory:')
  }

  close(): void {
    this.#statements.clear()
    this.database.close()
  }

  /** null: several statements, which have been run. */
  #prepare(text: string): Statement | null {
    const kind = kindOf(text)
    // After a change of the schema, prepared statements may return other columns.
    if (kind.isSeveral || kind.isSchema) this.#statements.clear()
    if (kind.isSeveral) {
      this.database.exec(text)
      return null
    }
    const prepared = this.database.prepare(text)
    const columnNames = kind.columnNames ?? prepared.columns().map(({ name }) => name)
    if (kind.namesColumns) kind.columnNames = columnNames
    prepared.setReturnArrays(true)
    const statement = { prepared, columnNames, isWrite: kind.isWrite }
    this.#statements.set(text, statement)
    return statement
  }
}

/** What the text of a statement says by itself, in every database. */
interface Kind {
  /** node:sqlite prepares the first statement of a text and ignores the others. */
  isSeveral: boolean
  isSchema: boolean
  isWrite: boolean
  /** Its columns do not depend on the schema. */
  namesColumns: boolean
  columnNames: string[] | null
}

const kinds = new Map<string, Kind>()

const kindOf = (text: string): Kind => {
  const known = kinds.get(text)
  if (known) return known
  const kind = {
    isSeveral: /;\s*\S/.test(text.replace(/--[^\n]*/g, '')),
    isSchema: /^\s*(create|alter|drop)\b/i.test(text),
    isWrite: !/^\s*(select|with|pragma)\b/i.test(text),
    namesColumns: !text.includes('*'),
    columnNames: null,
  }
  kinds.set(text, kind)
  return kind
}

const toSqlite = (value: unknown): SQLInputValue =>
  value instanceof ArrayBuffer ? new Uint8Array(value) : (value as SQLInputValue)

/** Node's own objects of rows take twice as long. Blobs are ArrayBuffers in workerd. */
const toRow = (columnNames: string[], values: SQLOutputValue[]): Row => {
  const row: Row = {}
  for (let index = 0; index < values.length; index++) {
    const value = values[index]
    row[columnNames[index] as string] = (value instanceof Uint8Array ? value.slice().buffer : value) as Value
  }
  return row
}
