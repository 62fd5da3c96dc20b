import { firstRow } from '../../sqlite.ts'

/** The account has only the hash of an API key. A repeated call adds nothing. */
export const addKey = (sql: SqlStorage, id: string, hash: string, now: number): void => {
  sql.exec('INSERT INTO keys (hash, id, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING', hash, id, now)
}

export const isLiveKey = (sql: SqlStorage, hash: string): boolean =>
  firstRow(sql, 'SELECT 1 FROM keys WHERE hash = ? AND revoked_at IS NULL', hash) !== undefined

/** False for an unknown key. Revoking a revoked key keeps its first revocation time. */
export const revokeKey = (sql: SqlStorage, id: string, now: number): boolean =>
  sql.exec('UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?', now, id).rowsWritten > 0
