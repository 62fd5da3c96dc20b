import { constants } from 'node:fs'
import { copyFile, link, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { lanes } from '../../domain/lanes.ts'
import { digestOf, isMedia, isOfBuckets, type Manifest, manifestName, mediaFilesIn } from './archive.ts'

export interface SnapshotOptions {
  state: string
  /** On the same file system. It holds `state/` and the manifest afterwards. */
  folder: string
  runtimePid: number
  migrations: string[]
}

/**
 * Copies the state at one moment, as a power cut would leave it: workerd is stopped while databases are copied with their
 * write-ahead logs. Media files never change, so they are linked. Those that are being written are left out.
 */
export const takeSnapshot = async ({ state, folder, runtimePid, migrations }: SnapshotOptions) => {
  const copy = join(folder, 'state')
  await rm(folder, { recursive: true, force: true })
  await mkdir(copy, { recursive: true, mode: 0o700 })
  const pausedMs = await whileStopped(runtimePid, () => copyState(state, copy))
  await removeUnnamedMedia(copy)
  const files: Manifest['files'] = {}
  let bytes = 0
  for (const path of await filesIn(copy)) {
    bytes += (await stat(join(copy, path))).size
    files[path] = isMedia(path) ? null : await digestOf(join(copy, path))
  }
  const manifest: Manifest = { format: 1, createdAt: new Date().toISOString(), migrations, files }
  await writeFile(join(folder, manifestName), JSON.stringify(manifest))
  return { files: Object.keys(files).length, bytes, pausedMs: Math.round(pausedMs) }
}

/** Paths relative to the folder. `-shm` files are only an index of the write-ahead logs, and made again. */
export const filesIn = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith('-shm'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
}

const PARALLEL = 16

const copyState = async (from: string, to: string): Promise<void> => {
  const paths = await filesIn(from)
  for (const folder of new Set(paths.map(dirname))) await mkdir(join(to, folder), { recursive: true })
  const copyOne = (path: string): Promise<void> =>
    isMedia(path)
      ? link(join(from, path), join(to, path))
      : copyFile(join(from, path), join(to, path), constants.COPYFILE_FICLONE)
  await lanes(PARALLEL, paths, copyOne)
}

/** A bucket names a media file once it is complete, so files without a name were still being written. */
const removeUnnamedMedia = async (copy: string): Promise<void> => {
  const paths = await filesIn(copy)
  const named = new Set<string>()
  for (const path of paths.filter(isOfBuckets)) {
    const database = new DatabaseSync(join(copy, path), { readOnly: true })
    for (const { id } of mediaFilesIn(database)) named.add(id)
    database.close()
    // Reading makes it.
    await rm(join(copy, `${path}-shm`), { force: true })
  }
  for (const path of paths) if (isMedia(path) && !named.has(basename(path))) await rm(join(copy, path))
}

/** Stops a process, works, and always lets it go on. Returns how long the process stood still. */
export const whileStopped = async (pid: number, work: () => Promise<void>): Promise<number> => {
  const since = performance.now()
  process.kill(pid, 'SIGSTOP')
  try {
    while (!(await isStopped(pid))) await sleep(1)
    await work()
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  return performance.now() - since
}

/** A thread stops when it has ended its system call, such as a write. */
const isStopped = async (pid: number): Promise<boolean> => {
  const threads = await readdir(`/proc/${pid}/task`)
  const states = await Promise.all(
    threads.map(async (thread) => /\) (\S)/.exec(await readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8'))?.[1]),
  )
  return states.every((state) => state === 'T')
}
