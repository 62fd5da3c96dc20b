import { accepted, type Result, refused } from '../../../domain/codes/refusals.ts'
import { MINUTE_MS } from '../../../domain/time.ts'
import type { Upload } from '../../../domain/uploads/upload.ts'
import { firstValue, plain, plains, Table } from '../../sqlite.ts'
import type { AccountRows } from '../account-rows.ts'
import { schedule } from '../due/due-rows.ts'
import { type ApiKey, maySee, poolOf } from '../keys/key-rows.ts'
import type { KeyPool } from '../requests/counted-use.ts'

const uploadTable = new Table<Upload>('uploads', {
  ...plains('id', 'state', 'filename', 'sizeBytes', 'contentType', 'durationSeconds', 'attempt', 'multipartId'),
  ...plains('keyId', 'createdAt', 'expiresAt'),
  secret: plain('key_secret'),
})

/** null: there is none, or it is forgotten. One that has expired is removed, even if the alarm is late. */
export const findUpload = (sql: SqlStorage, id: string, now: number): Upload | null => {
  const upload = readUpload(sql, id)
  if (!upload || upload.expiresAt > now) return upload
  return upload.state === 'removed' ? null : { ...upload, state: 'removed' }
}

export const uploadOf = (sql: SqlStorage, key: ApiKey, id: string, now: number): Result<Upload> => {
  const upload = findUpload(sql, id, now)
  return upload && maySee(key, upload) ? accepted(upload) : uploadNotFound()
}

export const uploadNotFound = (): Result<never> => refused('NOT_FOUND', {}, 'There is no upload with this id.')

export const readUpload = (sql: SqlStorage, id: string): Upload | null => uploadTable.first(sql, 'WHERE id = ?', id)

/** The alarm looks at it when it expires. */
export const saveUpload = (sql: SqlStorage, upload: Upload): void => {
  uploadTable.insertOrReplace(sql, upload)
  schedule(sql, 'upload', upload.id, upload.expiresAt)
}

export const forgetUpload = (sql: SqlStorage, id: string): void => {
  sql.exec('DELETE FROM uploads WHERE id = ?', id)
}

/** A request that stopped before its parts could be sent. Nobody knows of its upload. */
const ABANDONED_AFTER_MS = MINUTE_MS

/** Uploads count together with those of the same pool of keys. */
const IN_POOL = '(key_id IN (SELECT value FROM json_each(?3))) = ?4'

const bindingsOf = ({ keys }: AccountRows, pool: KeyPool, now: number): [number, number, string, number] => {
  const full = keys.all().flatMap((key) => (poolOf(key) === 'full' ? [key.id] : []))
  return [now, now - ABANDONED_AFTER_MS, JSON.stringify(full), pool === 'full' ? 1 : 0]
}

export const countPending = (rows: AccountRows, pool: KeyPool, now: number): number => {
  const query = `SELECT count(*) FROM uploads
    WHERE state = 'pending' AND expires_at > ?1 AND (multipart_id IS NOT NULL OR created_at > ?2) AND ${IN_POOL}`
  return firstValue<number>(rows.sql, query, ...bindingsOf(rows, pool, now)) ?? 0
}

/** Of pending and ready uploads, and of removed ones that jobs need. What will be sent counts as if it had been. */
export const storedBytes = (rows: AccountRows, pool: KeyPool, needed: ReadonlySet<string>, now: number): number => {
  const query = `SELECT sum(size_bytes) FROM uploads
    WHERE (expires_at > ?1 AND (state = 'ready' OR state = 'pending' AND (multipart_id IS NOT NULL OR created_at > ?2))
      OR state = 'removed' AND id IN (SELECT value FROM json_each(?5))) AND ${IN_POOL}`
  const bindings = [...bindingsOf(rows, pool, now), JSON.stringify([...needed])]
  return firstValue<number>(rows.sql, query, ...bindings) ?? 0
}
