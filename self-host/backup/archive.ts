import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { sep } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { create, extract } from 'tar'

/** The first file of a backup. The others are below `state/`. */
export interface Manifest {
  /** The format of the archive. It is raised when an older program could not restore it. */
  format: 1
  createdAt: string
  migrations: string[]
  /** Paths in `state/`, with the SHA-256 of all but media files, whose sizes the bucket's database has. */
  files: Record<string, string | null>
}

export const manifestName = 'backup.json'

export const digestOf = async (path: string): Promise<string> => {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

export const checkManifest = (text: string, knownMigrations: readonly string[]): Manifest => {
  const manifest = parse(text)
  if (typeof manifest?.files !== 'object') throw new Error('This is no backup of Haul.')
  const isNewer = manifest.format !== 1 || manifest.migrations.some((name) => !knownMigrations.includes(name))
  if (isNewer) throw new Error('This backup was made by a newer version of Haul. Restore it with that version.')
  return manifest
}

const parse = (text: string): Manifest | null => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

export const archiveOf = (snapshot: string): Readable =>
  Readable.from(create({ cwd: snapshot, noMtime: true }, [manifestName, 'state']) as AsyncIterable<Buffer>)

/** Unpacks only plain files and folders of a backup. An archive that is damaged or cut off fails. */
export const unpack = async (archive: NodeJS.ReadableStream, folder: string): Promise<void> => {
  const isPart = (path: string): boolean => path === manifestName || /^state(\/|$)/.test(path)
  const unpacking = extract({
    cwd: folder,
    strict: true,
    preserveOwner: false,
    filter: (path, entry) => isPart(path) && 'type' in entry && /^(File|Directory)$/.test(entry.type),
  })
  await pipeline(archive, unpacking as unknown as NodeJS.WritableStream)
}

/** `r2/haul-media/blobs/ID`. Ids are random, so two buckets have none in common. */
export const isMedia = (path: string): boolean => path.split(sep).at(-2) === 'blobs'

export const isOfBuckets = (path: string): boolean => path.endsWith('.sqlite') && path.split(sep).at(-3) === 'r2'

const BUCKET_TABLE = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '_mf_objects'"

/** Objects have a file each, or one for each part. Unfinished uploads have parts only. */
const MEDIA_FILES = `SELECT blob_id AS id, size FROM _mf_objects WHERE blob_id IS NOT NULL
  UNION ALL SELECT blob_id, size FROM _mf_multipart_parts`

/** The media files that a bucket's database names. Other databases name none. The tables are miniflare's. */
export const mediaFilesIn = (database: DatabaseSync): Iterable<{ id: string; size: number }> =>
  database.prepare(BUCKET_TABLE).get() ? (database.prepare(MEDIA_FILES).iterate() as Iterable<never>) : []
