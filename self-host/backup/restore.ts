import { existsSync, statSync } from 'node:fs'
import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type DataFolder, ensureWritable, hasState, isRunning, stateIn } from '../data/data-folder.ts'
import { checkManifest, digestOf, isMedia, type Manifest, manifestName, mediaFilesIn, unpack } from './archive.ts'
import { filesIn } from './snapshot.ts'

interface RestoreOptions {
  folder: DataFolder
  archive: NodeJS.ReadableStream
  /** An existing state is moved aside. Otherwise it is an error. */
  replace: boolean
  knownMigrations: readonly string[]
}

/** Puts a backup in place, or throws a sentence for the operator and changes nothing. */
export const restore = async ({ folder, archive, replace, knownMigrations }: RestoreOptions) => {
  await ensureWritable(folder.dir)
  if (await isRunning(folder)) throw new Error(`Haul is running with ${folder.dir}: stop it first.`)
  const isReplacing = await hasState(folder)
  if (isReplacing && !replace)
    throw new Error(`${folder.dir} has data. With --replace it is moved aside before the backup takes its place.`)
  const incoming = join(folder.dir, 'restoring')
  await rm(incoming, { recursive: true, force: true })
  await mkdir(incoming, { mode: 0o700 })
  try {
    await unpack(archive, incoming).catch((error: Error) => {
      throw new Error(`The archive cannot be read: ${error.message}`)
    })
    const text = await readFile(join(incoming, manifestName), 'utf8').catch(() => '')
    const manifest = checkManifest(text, knownMigrations)
    const { state, secretsFile } = stateIn(join(incoming, 'state'))
    await checkState(state, manifest)
    await chmod(state, 0o700)
    await chmod(secretsFile, 0o600)
    await flush(state)
    const replaced = isReplacing ? join(folder.dir, `replaced-${Date.now()}`) : null
    if (replaced) await rename(folder.state, replaced)
    else await rm(folder.state, { recursive: true, force: true })
    await rename(state, folder.state)
    return { createdAt: manifest.createdAt, files: Object.keys(manifest.files).length, replaced }
  } finally {
    // The files of an archive that failed are still being written for a moment.
    await rm(incoming, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** Throws a sentence if a file is missing or changed or a database is corrupt. Databases take in their logs. */
const checkState = async (state: string, { files }: Manifest): Promise<void> => {
  const paths = Object.keys(files)
  const missing = paths.filter((path) => !existsSync(join(state, path)))
  if (missing.length > 0) throw new Error(`The backup is not complete: ${missing.length} files are missing.`)
  for (const [path, digest] of Object.entries(files)) {
    if (digest !== null && (await digestOf(join(state, path))) !== digest)
      throw new Error(`The backup is damaged: ${path} has been changed.`)
  }
  const media = new Map(paths.filter(isMedia).map((path) => [basename(path), join(state, path)]))
  for (const path of paths.filter((each) => each.endsWith('.sqlite'))) {
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

/** A power cut just after the restore must not leave half of it. */
const flush = async (folder: string): Promise<void> => {
  for (const path of await filesIn(folder)) {
    const file = await open(join(folder, path))
    await file.sync().finally(() => file.close())
  }
}
