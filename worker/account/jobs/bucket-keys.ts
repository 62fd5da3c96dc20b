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
  return job.batch ? ownKey(rows, job.batch, key, values) : key
}

const filenameFor = (job: JobRow, stem: string | null, { title, jobId, ext }: KeyValues): string => {
  if (job.kind === 'import' && job.carry) return job.carry.filename
  return stem === null ? filenameOf(title ?? jobId, ext) : `${stem}.${ext}`
}

const valuesOf = (rows: AccountRows, job: JobRow, about: SourceAbout | undefined): KeyValues => {
  const { id: jobId, batch, createdAt, metadata = {} } = job
  const { title, extractor, ext } = madeBy(job)
  const ofBatch = batch && batchOf(rows, batch)
  const isOfFeed = extractor === 'direct' && ofBatch?.row.request.playlist
  return {
    uploader: about?.uploader ?? null,
    // A file of a feed says less of itself than its item.
    title: (isOfFeed ? ofBatch.item.title : null) ?? title,
    id: about?.id ?? null,
    extractor,
    publishedAt: about?.publishedAt ?? null,
    createdAt,
    playlist: ofBatch?.row.title ?? null,
    index: batch ? placeOfItem(rows.sql, batch.id, batch.index) : null,
    jobId,
    ext,
    metadata,
  }
}

const batchOf = ({ sql, batches }: AccountRows, { id, index }: NonNullable<JobRow['batch']>) => {
  const row = batches.find(id)
  const item = readItem(sql, id, index)
  if (!row || !item) throw new Error('the batch of an item is gone')
  return { row, item }
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

const ownKey = (rows: AccountRows, batch: NonNullable<JobRow['batch']>, key: string, values: KeyValues): string => {
  const { sql } = rows
  const { row, item } = batchOf(rows, batch)
  const scope = originalOf(row)
  const kept = firstValue<string>(sql, 'SELECT key FROM bucket_keys WHERE scope = ? AND owner = ?', scope, item.url)
  // The source may have another format by now.
  if (kept !== null) return `${stemOf(kept)}.${values.ext}`
  // The files beside a main file have its name too, whatever its extension is.
  const isTaken = (other: string) => {
    const stem = stemOf(other)
    const query =
      "SELECT 1 FROM bucket_keys WHERE scope = ? AND key > ? AND key < ? AND instr(substr(key, length(?) + 2), '.') = 0"
    return firstValue(sql, query, scope, `${stem}.`, `${stem}/`, stem) !== null
  }
  const keys = alternativeKeys(key, values.ext, values)
  // The last of them has the id of the job.
  const own = keys.find((each) => !isTaken(each)) ?? keys.at(-1) ?? key
  sql.exec('INSERT INTO bucket_keys (scope, owner, key) VALUES (?, ?, ?)', scope, item.url, own)
  return own
}

const stemOf = (key: string): string => key.slice(0, -extensionOf(key).length - 1)
