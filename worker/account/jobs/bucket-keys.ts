import type { BatchItem } from '../../../domain/batches/batch.ts'
import { objectKey } from '../../../domain/bucket/object-name.ts'
import { alternativeKeys, type KeyValues, storageKeyOf } from '../../../domain/bucket/storage-key.ts'
import { type BatchPosition, type Job, storageOf } from '../../../domain/jobs/job.ts'
import { extensionOf, formatsOf } from '../../../domain/jobs/job-files.ts'
import { isoTimeOrNull } from '../../../domain/jobs/job-status.ts'
import { transcriptOf } from '../../../domain/jobs/parts.ts'
import { filenameOf } from '../../../domain/media/safe-filename.ts'
import type { SourceAbout } from '../../../domain/protocol/protocol.ts'
import { firstValue } from '../../sqlite.ts'
import type { AccountRows } from '../account-rows.ts'
import { type BatchRow, scopeOf } from '../batches/batch-rows.ts'
import { ownerOfItem, placeOfItem, readItem } from '../batches/item-rows.ts'
import { findItem } from '../watches/item-rows.ts'
import type { JobRow } from './job-rows.ts'

/**
 * The key of a job's main file in the caller's bucket, below the pathPrefix. It is decided once, when the job has been made.
 * Within a batch and its retries no two items share a key, and an item that is retried keeps its own.
 */
export const bucketKeyOf = (rows: AccountRows, job: JobRow, about: SourceAbout | undefined): string => {
  const storage = storageOf(job)
  if (!storage) throw new Error(`${job.id} is not to be copied`)
  const place = job.batch ? placeOf(rows, job.batch) : null
  const values = valuesOf(job, place, about)
  const { storageKey, storagePath, storageFilename } = storage
  const key = storageKey
    ? storageKeyOf(storageKey, values)
    : objectKey({ storagePath: storagePath ?? '', filename: filenameFor(job, storageFilename, values) })
  return place ? ownKey(rows.sql, place, key, values) : key
}

const filenameFor = (job: JobRow, stem: string | null, { title, jobId, ext }: KeyValues): string => {
  if (job.kind === 'import' && job.carry) return job.carry.filename
  return stem === null ? filenameOf(title ?? jobId, ext) : `${stem}.${ext}`
}

/** A batch, and one of its items. */
interface Place {
  batch: BatchRow
  item: BatchItem
  /** By what the item is known in the batch, its retries, or its watch. */
  owner: string
  /** null: it is an item of a watch. */
  index: number | null
  publishedAt: string | null
}

const placeOf = ({ sql, batches }: AccountRows, { id, index }: BatchPosition): Place => {
  const batch = batches.find(id)
  const item = readItem(sql, id, index)
  if (!batch || !item) throw new Error('the batch of an item is gone')
  const owner = ownerOfItem(sql, id, index)
  const { watchId } = batch.request
  if (owner === null || watchId === undefined) {
    return { batch, item, owner: item.url, index: placeOfItem(sql, id, index), publishedAt: null }
  }
  return { batch, item, owner, index: null, publishedAt: publishedAtOf(sql, watchId, owner) }
}

const publishedAtOf = (sql: SqlStorage, watchId: string, itemId: string): string | null =>
  isoTimeOrNull(findItem(sql, watchId, itemId)?.publishedAt ?? null)

const valuesOf = (job: JobRow, place: Place | null, about: SourceAbout | undefined): KeyValues => {
  const { id: jobId, createdAt, metadata = {} } = job
  const { title, extractor, ext } = madeBy(job)
  const { playlist = null, watchId } = place?.batch.request ?? {}
  const isOfFeed = extractor === 'direct' && (playlist !== null || watchId !== undefined)
  return {
    uploader: about?.uploader ?? (isOfFeed ? (place?.batch.title ?? null) : null),
    // A file of a feed says less of itself than its item.
    title: (isOfFeed ? place?.item.title : null) ?? title,
    id: about?.id ?? null,
    extractor,
    publishedAt: about?.publishedAt ?? place?.publishedAt ?? null,
    createdAt,
    playlist: place?.batch.title ?? null,
    index: place?.index ?? null,
    jobId,
    ext,
    metadata,
  }
}

const madeBy = (job: Job): { title: string | null; extractor: string | null; ext: string } => {
  if (job.kind === 'import') {
    const { title = null, readBy, filename = '' } = job.carry ?? {}
    return { title, extractor: readBy?.extractor ?? null, ext: extensionOf(filename) }
  }
  const words = transcriptOf(job.parts)
  return { title: words?.title ?? null, extractor: words?.readBy?.extractor ?? null, ext: formatsOf(job)[0] ?? 'json' }
}

const ownKey = (sql: SqlStorage, { batch, owner }: Place, key: string, values: KeyValues): string => {
  const scope = scopeOf(batch)
  const kept = firstValue<string>(sql, 'SELECT key FROM bucket_keys WHERE scope = ? AND owner = ?', scope, owner)
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
  sql.exec('INSERT INTO bucket_keys (scope, owner, key) VALUES (?, ?, ?)', scope, owner, own)
  return own
}

const stemOf = (key: string): string => key.slice(0, -extensionOf(key).length - 1)
