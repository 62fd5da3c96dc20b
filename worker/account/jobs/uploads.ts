import { post } from '../clockwork/outbox.ts'

/**
 * What a job began to store. Nothing of it outlives the job but what the job's end names: an attempt that
 * comes to nothing loses what it stored, and the end of the job all the rest.
 */
/** Remembered before the first byte, so that it can be thrown away. */
export const addUpload = (sql: SqlStorage, jobId: string, key: string, uploadId: string | null): void => {
  sql.exec('INSERT OR REPLACE INTO uploads (key, job_id, upload_id) VALUES (?, ?, ?)', key, jobId, uploadId)
}

/** Stays until the job ends, whatever becomes of attempts. What a later step writes there is known beforehand. */
export const keepUpload = (sql: SqlStorage, jobId: string, key: string): void => {
  sql.exec(
    'INSERT INTO uploads (key, job_id, kept) VALUES (?, ?, 1) ON CONFLICT (key) DO UPDATE SET kept = 1',
    key,
    jobId,
  )
}

/** What the finished job keeps is nobody's to throw away any more. */
export const releaseUpload = (sql: SqlStorage, key: string): void => {
  sql.exec('DELETE FROM uploads WHERE key = ?', key)
}

export const discardUploads = (sql: SqlStorage, jobId: string, which: 'of this attempt' | 'all', now: number): void => {
  const most = which === 'all' ? 1 : 0
  const uploads = sql
    .exec<{ key: string; upload_id: string | null }>(
      'SELECT key, upload_id FROM uploads WHERE job_id = ? AND kept <= ?',
      jobId,
      most,
    )
    .toArray()
  for (const { key, upload_id } of uploads) post(sql, { kind: 'discard', key, uploadId: upload_id }, now)
  sql.exec('DELETE FROM uploads WHERE job_id = ? AND kept <= ?', jobId, most)
}
