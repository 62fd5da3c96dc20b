import { firstRow } from '../rows.ts'

/**
 * The provider key that a caller sent with a job: sealed when it comes here, given out under the job's
 * lease alone, and erased in the transaction that ends the job.
 */
export const keepSealedKey = (sql: SqlStorage, jobId: string, sealed: string): void => {
  sql.exec('INSERT INTO sealed_keys VALUES (?, ?)', jobId, sealed)
}

export const sealedKeyOf = (sql: SqlStorage, jobId: string): string | null =>
  firstRow<{ sealed: string }>(sql, 'SELECT sealed FROM sealed_keys WHERE job_id = ?', jobId)?.sealed ?? null

export const eraseSealedKey = (sql: SqlStorage, jobId: string): void => {
  sql.exec('DELETE FROM sealed_keys WHERE job_id = ?', jobId)
}
