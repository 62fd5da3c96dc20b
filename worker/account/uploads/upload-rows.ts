import { accepted, type Result, refused } from '../../../domain/codes/refusals.ts'
import type { Upload, UploadState } from '../../../domain/uploads/upload.ts'
import { scheduleTask } from '../clockwork/schedule.ts'
import { firstRow } from '../sqlite.ts'

type UploadColumns = {
  id: string
  state: UploadState
  filename: string
  size_bytes: number
  content_type: string | null
  duration_seconds: number | null
  attempt: number
  multipart_id: string | null
  created_at: number
  expires_at: number
}

/** null: there is none, or it is forgotten. One that has expired is removed, even if the alarm is late. */
export const findUpload = (sql: SqlStorage, id: string, now: number): Upload | null => {
  const upload = readUpload(sql, id)
  if (!upload || upload.expiresAt > now) return upload
  return upload.state === 'removed' ? null : { ...upload, state: 'removed' }
}

/** What a request about an upload finds. A removed one is an answer too. */
export const uploadOf = (sql: SqlStorage, id: string, now: number): Result<Upload> => {
  const upload = findUpload(sql, id, now)
  return upload ? accepted(upload) : refused('NOT_FOUND', {}, 'There is no upload with this id.')
}

/** As it was saved. */
export const readUpload = (sql: SqlStorage, id: string): Upload | null => {
  const row = firstRow<UploadColumns>(sql, 'SELECT * FROM uploads WHERE id = ?', id)
  return row ? toUpload(row) : null
}

/** The alarm looks at it when it expires. */
export const saveUpload = (sql: SqlStorage, upload: Upload): void => {
  const columns = toColumns(upload)
  const names = Object.keys(columns)
  const values = names.map(() => '?').join(', ')
  sql.exec(`INSERT OR REPLACE INTO uploads (${names.join(', ')}) VALUES (${values})`, ...Object.values(columns))
  scheduleTask(sql, 'upload', upload.id, upload.expiresAt)
}

export const forgetUpload = (sql: SqlStorage, id: string): void => {
  sql.exec('DELETE FROM uploads WHERE id = ?', id)
}

/** A request that stopped before its parts could be sent. Nobody knows of its upload. */
const ABANDONED_AFTER_MS = 60_000

export const countPending = (sql: SqlStorage, now: number): number => {
  const query = `SELECT count(*) AS pending FROM uploads
    WHERE state = 'pending' AND expires_at > ? AND (multipart_id IS NOT NULL OR created_at > ?)`
  return sql.exec<{ pending: number }>(query, now, now - ABANDONED_AFTER_MS).one().pending
}

/**
 * Of pending and ready uploads, and of those that were removed while jobs need them. What will be sent counts as if it
 * had been.
 */
export const storedBytes = (sql: SqlStorage, needed: ReadonlySet<string>, now: number): number => {
  const query = `SELECT coalesce(sum(size_bytes), 0) AS bytes FROM uploads
    WHERE expires_at > ?1 AND (state = 'ready' OR state = 'pending' AND (multipart_id IS NOT NULL OR created_at > ?2))
      OR state = 'removed' AND id IN (SELECT value FROM json_each(?3))`
  const ids = JSON.stringify([...needed])
  return sql.exec<{ bytes: number }>(query, now, now - ABANDONED_AFTER_MS, ids).one().bytes
}

const toUpload = (row: UploadColumns): Upload => ({
  id: row.id,
  state: row.state,
  filename: row.filename,
  sizeBytes: row.size_bytes,
  contentType: row.content_type,
  durationSeconds: row.duration_seconds,
  attempt: row.attempt,
  multipartId: row.multipart_id,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
})

const toColumns = (upload: Upload): UploadColumns => ({
  id: upload.id,
  state: upload.state,
  filename: upload.filename,
  size_bytes: upload.sizeBytes,
  content_type: upload.contentType,
  duration_seconds: upload.durationSeconds,
  attempt: upload.attempt,
  multipart_id: upload.multipartId,
  created_at: upload.createdAt,
  expires_at: upload.expiresAt,
})
