import { rm } from 'node:fs/promises'
import { basename, join, sep } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** What buckets know of their media files, in miniflare's schema. */
export interface MediaFile {
  id: string
  size: number
}

export const isMedia = (path: string): boolean => path.split(sep).at(-2) === 'blobs'

export const isBucket = (database: DatabaseSync): boolean =>
  database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '_mf_objects'").get() !== undefined

/** Objects have a file each, or one for each part. Unfinished uploads have parts only. */
const FILES = `SELECT blob_id AS id, size FROM _mf_objects WHERE blob_id IS NOT NULL
  UNION ALL SELECT blob_id, size FROM _mf_multipart_parts`

export const mediaFilesIn = (database: DatabaseSync): Iterable<MediaFile> =>
  database.prepare(FILES).iterate() as Iterable<never>

/**
 * The media files in a copy of the state that no bucket names. They were being written at that moment, and
 * still are: a bucket names a file when it is complete, and never changes it afterwards.
 */
export const unnamedMediaFiles = async (copy: string, paths: readonly string[]): Promise<Set<string>> => {
  const media = paths.filter(isMedia)
  const folders = new Set(media.map(folderOfBuckets))
  const named = new Map<string, Set<string>>()
  for (const path of paths) {
    // Its database lies beside the bucket's folder: r2/x/1.sqlite, r2/haul-media/blobs/2.
    const folder = above(path, 2)
    if (!path.endsWith('.sqlite') || !folders.has(folder)) continue
    const ids = await namedIn(join(copy, path))
    if (ids) named.set(folder, new Set([...(named.get(folder) ?? []), ...ids]))
  }
  return new Set(media.filter((path) => named.get(folderOfBuckets(path))?.has(basename(path)) === false))
}

const above = (path: string, levels: number): string => path.split(sep).slice(0, -levels).join(sep)

const folderOfBuckets = (path: string): string => above(path, 3)

/** null: it is no bucket's. */
const namedIn = async (path: string): Promise<string[] | null> => {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    return isBucket(database) ? Array.from(mediaFilesIn(database), ({ id }) => id) : null
  } finally {
    database.close()
    // Reading makes it.
    await rm(`${path}-shm`, { force: true })
  }
}
