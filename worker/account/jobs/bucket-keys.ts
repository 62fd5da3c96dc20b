import { objectKey } from '../../../domain/bucket/object-name.ts'
import { alternativeKeys, type KeyValues, storageKeyOf } from '../../../domain/bucket/storage-key.ts'
import { type Job, storageOf } from '../../../domain/jobs/job.ts'
import { extensionOf, formatsOf } from '../../../domain/jobs/job-files.ts'
import { filenameOf } from '../../../domain/media/safe-filename.ts'
import type { SourceAbout } from '../../../domain/protocol/protocol.ts'
import { firstValue } from '../../sqlite.ts'
import type { AccountRows } from '../account-rows.ts'
import { originalOf } from '../batches/batch-rows.ts'
import { placeOfItem, readItem } from '../batches/item-rows.ts'
import type { JobRow } from './job-rows.ts'

/**
 * The key of a job's main file in the caller's bucket, below the pathPrefix. It is decided once, when the job has been made.
 * Within a batch and its retries no two items share a key, and an item that is retried keeps its own.
 */
export const bucketKeyOf = (rows: AccountRows, job: JobRow, about: SourceAbout | undefined): string => {
  const storage = storageOf(job)
  if (!storage) throw new Error(`${job.id} is not to be copied`)
  const values = valuesOf(rows, job, about)
  const { storageKey, storagePath, storageFilename } = storage
  const key = storageKey
    ? storageKeyOf(storageKey, values)
    : objectKey({ storagePath: storagePath ?? '', filename: filenameFor(job, storageFilename, values) })
  return job.batch ? ownKey(rows, job, alternativeKeys(key, values.ext, values)) : key
}

const filenameFor = (job: JobRow, stem: string | null, { title, jobId, ext }: KeyValues): string => {
  if (job.kind === 'import' && job.carry) return job.carry.filename
  return stem === null ? filenameOf(title ?? jobId, ext) : `${stem}.${ext}`
}

const valuesOf = (rows: AccountRows, job: JobRow, about: SourceAbout | undefined): KeyValues => {
  const { id: jobId, batch, createdAt, metadata = {} } = job
  const { title, extractor, ext } = madeBy(job)
  const item = batch ? readItem(rows.sql, batch.id, batch.index) : null
  const list = batch ? rows.batches.find(batch.id) : null
  const index = batch ? placeOfItem(rows.sql, batch.id, batch.index) : null
  return {
    ...{ uploader: about?.uploader ?? null, id: about?.id ?? null, publishedAt: about?.publishedAt ?? null },
    // A file of a feed says less of itself than its item.
    title: (extractor === 'direct' && list?.request.playlist ? item?.title : null) ?? title,
    ...{ extractor, createdAt, playlist: list?.title ?? null, index, jobId, ext, metadata },
  }
}

const madeBy = (job: Job): { title: string | null; extractor: string | null; ext: string } => {
  if (job.kind === 'import') {
    const { title = null, readBy, filename = '' } = job.carry ?? {}
    return { title, extractor: readBy?.extractor ?? null, ext: extensionOf(filename) }
  }
  const part = job.parts?.find(({ kind }) => kind === 'transcript')
  const words = part?.state === 'completed' ? part.words : undefined
  return { title: words?.title ?? null, extractor: words?.readBy?.extractor ?? null, ext: formatsOf(job)[0] ?? 'json' }
}

const ownKey = ({ sql, batches }: AccountRows, { batch }: JobRow, keys: string[]): string => {
  const row = batch && batches.find(batch.id)
  const item = batch && readItem(sql, batch.id, batch.index)
  if (!row || !item) throw new Error('the batch of an item is gone')
  const scope = originalOf(row)
  const kept = firstValue<string>(sql, 'SELECT key FROM bucket_keys WHERE scope = ? AND owner = ?', scope, item.url)
  if (kept !== null) return kept
  // The files beside a main file have its name too, whatever its extension is.
  const isTaken = (key: string) => {
    const name = key.slice(0, -extensionOf(key).length - 1)
    const query = 'SELECT 1 FROM bucket_keys WHERE scope = ? AND key > ? AND key < ? LIMIT 1'
    return firstValue(sql, query, scope, `${name}.`, `${name}/`) !== null
  }
  // The last of them has the id of the job.
  const own = keys.find((key) => !isTaken(key)) ?? keys.at(-1) ?? ''
  sql.exec('INSERT INTO bucket_keys (scope, owner, key) VALUES (?, ?, ?)', scope, item.url, own)
  return own
}
