import { changedColumns, type SizedRow, type StoredRow, type Table } from '../sqlite.ts'

interface Opened<Row> {
  row: Row
  /** As it was read. null: the row is new. An older row has fewer fields, so the stored text is not compared. */
  saved: StoredRow | null
}

interface Hooks<Row> {
  /** Called before a row that has changed is written. */
  beforeUpdate?(row: Row): void
  afterUpdate?(row: Row, columns: string[]): void
}

/** The rows of a table that an act reads. The act changes them in memory, and each that has changed is written once, at its end. */
export class OpenedRows<Row extends { readonly id: string }> {
  readonly #sql: SqlStorage
  readonly #table: Table<Row>
  readonly #hooks: Hooks<Row>
  readonly #opened = new Map<string, Opened<Row>>()

  constructor(sql: SqlStorage, table: Table<Row>, hooks: Hooks<Row> = {}) {
    this.#sql = sql
    this.#table = table
    this.#hooks = hooks
  }

  find(id: string): Row | null {
    const opened = this.#opened.get(id)
    if (opened) return opened.row
    const row = this.#table.first(this.#sql, 'WHERE id = ?', id)
    if (row) this.#opened.set(id, { row, saved: this.#table.write(row) })
    return row
  }

  /** As it was saved last, for requests that do not change it. */
  read(id: string): SizedRow<Row> | null {
    return this.#table.firstSized(this.#sql, 'WHERE id = ?', id)
  }

  add(row: Row): void {
    this.#opened.set(row.id, { row, saved: null })
  }

  /** Called in the transaction of the act. */
  save(): void {
    for (const { row, saved } of this.#opened.values()) {
      if (saved) this.#update(row, saved)
      else this.#table.insert(this.#sql, row)
    }
    this.#opened.clear()
  }

  /** After a rollback. */
  forget(): void {
    this.#opened.clear()
  }

  #update(row: Row, saved: StoredRow): void {
    const { beforeUpdate, afterUpdate } = this.#hooks
    if (Object.keys(changedColumns(this.#table.write(row), saved)).length === 0) return
    beforeUpdate?.(row)
    const changed = changedColumns(this.#table.write(row), saved)
    this.#table.updateColumns(this.#sql, changed, 'id = ?', row.id)
    afterUpdate?.(row, Object.keys(changed))
  }
}
