import { existsSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { digestOf, type Manifest } from './archive.ts'
import { isMedia, mediaFilesIn } from './media-files.ts'

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
  const media = new Map(
    Object.keys(files)
      .filter(isMedia)
      .map((path) => [basename(path), join(state, path)]),
  )
  for (const path of Object.keys(files).filter((each) => each.endsWith('.sqlite'))) {
    try {
      checkDatabase(join(state, path), media)
    } catch (error) {
      throw new Error(`The backup is damaged: ${path}: ${(error as Error).message}`)
    }
  }
}

/** `media`: the path of each media file, by its id. */
const checkDatabase = (path: string, media: ReadonlyMap<string, string>): void => {
  const database = new DatabaseSync(path)
  try {
    const found = database.prepare('PRAGMA integrity_check').all()
    const problems = found.map((row) => String(row.integrity_check)).filter((text) => text !== 'ok')
    if (problems.length > 0) throw new Error(problems[0])
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    for (const { id, size } of mediaFilesIn(database)) {
      const file = media.get(id)
      if (!file) throw new Error(`the media file ${id} is missing`)
      if (statSync(file).size !== size) throw new Error(`the media file ${id} has another size`)
    }
  } finally {
    database.close()
  }
}
