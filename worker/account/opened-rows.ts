import { changedColumns, type StoredRow, type Table } from '../sqlite.ts'

interface Opened<Row> {
  row: Row
  /** As it was read. null: the row is new. */
  saved: StoredRow | null
}

/**
 * The rows of a table that an act reads. The act changes them in memory, and each that has changed is written once, at its
 * end: every written row is billed.
 */
export class OpenedRows<Row extends { readonly id: string }> {
  readonly #sql: SqlStorage
  readonly #table: Table<Row>
  readonly #onUpdate: (row: Row, columns: string[]) => void
  readonly #opened = new Map<string, Opened<Row>>()

  constructor(sql: SqlStorage, table: Table<Row>, onUpdate: (row: Row, columns: string[]) => void = () => {}) {
    this.#sql = sql
    this.#table = table
    this.#onUpdate = onUpdate
  }

  find(id: string): Row | null {
    const opened = this.#opened.get(id)
    if (opened) return opened.row
    const row = this.#table.first(this.#sql, 'WHERE id = ?', id)
    if (row) this.#opened.set(id, { row, saved: this.#table.write(row) })
    return row
  }

  add(row: Row): void {
    this.#opened.set(row.id, { row, saved: null })
  }

  /** Writes what has changed, so that a query finds it. */
  write(): void {
    for (const opened of this.#opened.values()) {
      const { row, saved } = opened
      opened.saved = this.#table.write(row)
      if (saved) this.#update(row, changedColumns(opened.saved, saved))
      else this.#table.insert(this.#sql, row)
    }
  }

  /** Called in the transaction of the act, at its end. */
  save(): void {
    this.write()
    this.forget()
  }

  /** After a rollback. */
  forget(): void {
    this.#opened.clear()
  }

  #update(row: Row, changed: StoredRow): void {
    const columns = Object.keys(changed)
    if (columns.length === 0) return
    this.#table.updateColumns(this.#sql, changed, 'id = ?', row.id)
    this.#onUpdate(row, columns)
  }
}
