import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type DataFolder, ensureWritable, hasState, isRunning, stateIn } from '../data/data-folder.ts'
import { checkManifest, manifestName, unpack } from './archive.ts'
import { checkState } from './check.ts'
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
    /** Where the state that was here before is. */
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

/** A power cut just after the restore must not leave half of it. */
const flush = async (folder: string): Promise<void> => {
  for (const path of await filesIn(folder)) {
    const file = await open(join(folder, path))
    await file.sync().finally(() => file.close())
  }
}
