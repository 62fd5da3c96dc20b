import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { digestOf, type Manifest } from './archive.ts'
import { isBucket, mediaFilesIn } from './media-files.ts'

/**
 * Throws a sentence for the operator if a state is not complete: a file of the manifest as it was, a sound database, or a media
 * file that the bucket's database names. Databases take in their write-ahead logs.
 */
export const checkState = async (state: string, { files }: Manifest): Promise<void> => {
  const missing = Object.keys(files).filter((path) => !existsSync(join(state, path)))
  if (missing.length > 0) throw new Error(`The backup is not complete: ${missing.length} files are missing.`)
  for (const [path, digest] of Object.entries(files)) {
    if (digest !== null && (await digestOf(join(state, path))) !== digest)
      throw new Error(`The backup is damaged: ${path} has been changed.`)
  }
  for (const path of Object.keys(files).filter((each) => each.endsWith('.sqlite'))) {
    try {
      checkDatabase(join(state, path))
    } catch (error) {
      throw new Error(`The backup is damaged: ${path}: ${(error as Error).message}`)
    }
  }
}

const checkDatabase = (path: string): void => {
  const database = new DatabaseSync(path)
  try {
    const found = database.prepare('PRAGMA integrity_check').all()
    const problems = found.map((row) => String(row.integrity_check)).filter((text) => text !== 'ok')
    if (problems.length > 0) throw new Error(problems[0])
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    if (isBucket(database)) checkBucket(database, path)
  } finally {
    database.close()
  }
}

/** The database lies beside the bucket's folder, and does not say its name. So a file may be in any bucket. */
const checkBucket = (database: DatabaseSync, path: string): void => {
  const folder = dirname(dirname(path))
  const buckets = blobFolders(folder)
  for (const { id, size } of mediaFilesIn(database)) {
    const found = buckets.map((bucket) => join(bucket, id)).find((file) => existsSync(file))
    if (!found) throw new Error(`the media file ${basename(id)} is missing`)
    if (statSync(found).size !== size) throw new Error(`the media file ${basename(id)} has another size`)
  }
}

const blobFolders = (folder: string): string[] =>
  readdirSync(folder).flatMap((name) => {
    const blobs = join(folder, name, 'blobs')
    return existsSync(blobs) ? [blobs] : []
  })
