import { addToOutbox } from '../clockwork/outbox.ts'

/**
 * The objects in R2 that a job has started to write. Each row is written before the object's first byte. A failed
 * attempt discards its own objects; the end of the job discards the rest, except those of the result.
 */
export const addUpload = (sql: SqlStorage, jobId: string, key: string, uploadId: string | null): void => {
  sql.exec('INSERT OR REPLACE INTO uploads (key, job_id, upload_id) VALUES (?, ?, ?)', key, jobId, uploadId)
}

/** Keeps an object until the job ends. The row may precede the object, if a later step writes it. */
export const keepUpload = (sql: SqlStorage, jobId: string, key: string): void => {
  sql.exec(
    'INSERT INTO uploads (key, job_id, kept) VALUES (?, ?, 1) ON CONFLICT (key) DO UPDATE SET kept = 1',
    key,
    jobId,
  )
}

/** The object is part of the job's result and is removed only when the result expires. */
export const releaseUpload = (sql: SqlStorage, key: string): void => {
  sql.exec('DELETE FROM uploads WHERE key = ?', key)
}

export const discardUploads = (sql: SqlStorage, jobId: string, which: 'of this attempt' | 'all', now: number): void => {
  const maxKept = which === 'all' ? 1 : 0
  const uploads = sql
    .exec<{ key: string; upload_id: string | null }>(
      'SELECT key, upload_id FROM uploads WHERE job_id = ? AND kept <= ?',
      jobId,
      maxKept,
    )
    .toArray()
  for (const { key, upload_id } of uploads) addToOutbox(sql, { kind: 'discard', key, uploadId: upload_id }, now)
  sql.exec('DELETE FROM uploads WHERE job_id = ? AND kept <= ?', jobId, maxKept)
}
