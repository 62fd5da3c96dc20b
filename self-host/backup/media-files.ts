import { sep } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'

export interface MediaFile {
  id: string
  size: number
}

/** `r2/haul-media/blobs/ID`. Ids are random, so two buckets have none in common. */
export const isMedia = (path: string): boolean => path.split(sep).at(-2) === 'blobs'

/** `r2/miniflare-R2BucketObject/HASH.sqlite` */
export const isOfBuckets = (path: string): boolean => path.endsWith('.sqlite') && path.split(sep).at(-3) === 'r2'

const TABLE = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '_mf_objects'"

/** Objects have a file each, or one for each part. Unfinished uploads have parts only. */
const FILES = `SELECT blob_id AS id, size FROM _mf_objects WHERE blob_id IS NOT NULL
  UNION ALL SELECT blob_id, size FROM _mf_multipart_parts`

/** The media files that a database names, if it is that of a bucket. */
export const mediaFilesIn = (database: DatabaseSync): Iterable<MediaFile> =>
  database.prepare(TABLE).get() ? (database.prepare(FILES).iterate() as Iterable<never>) : []
