import { firstRow } from '../rows.ts'

/** An object is asked for by name, so anybody's guess makes one; only operators make it an account. */
export const exists = (sql: SqlStorage): boolean => firstRow(sql, 'SELECT 1 FROM account') !== undefined

export const identity = (sql: SqlStorage): { id: string; name: string } =>
  sql.exec<{ id: string; name: string }>('SELECT id, name FROM account').one()
