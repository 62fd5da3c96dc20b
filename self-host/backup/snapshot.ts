import { type BigIntStats, constants } from 'node:fs'
import { copyFile, link, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { lanes } from '../../domain/lanes.ts'
import { digestOf, type Manifest, manifestName } from './archive.ts'
import { isMedia, unnamedMediaFiles } from './media-files.ts'
import { whileStopped } from './pause.ts'

/**
 * A copy of the state at one moment, as a power cut would leave it: with workerd stopped, every database is copied
 * together with its write-ahead log. What takes long is done before, while workerd runs:
 *
 * - Media files are never changed after they were written, only deleted. So they are linked, not copied. Those that
 *   are being written are left out.
 * - A database that did not change between the first copy and the stop is not copied again.
 */
export interface SnapshotOptions {
  state: string
  /** On the same file system. It holds `state/` and the manifest afterwards. */
  folder: string
  runtimePid: number
  migrations: string[]
}

/** Requests wait for so long at most. Then the backup fails, and may be tried again. */
const MAX_PAUSE_MS = 10_000

export const takeSnapshot = async ({ state, folder, runtimePid, migrations }: SnapshotOptions) => {
  const copy = join(folder, 'state')
  await rm(folder, { recursive: true, force: true })
  await mkdir(copy, { recursive: true, mode: 0o700 })
  const copier = createCopier(state, copy)
  await copier.copy(await filesIn(state))
  const before = copier.copies
  let paths: string[] = []
  const pausedMs = await whileStopped(runtimePid, MAX_PAUSE_MS, async (tooLate) => {
    paths = await filesIn(state)
    await copier.copy(paths, tooLate)
  })
  /** Files that had to be copied while workerd stood still. */
  const copiedInPause = copier.copies - before
  const unnamed = await unnamedMediaFiles(copy, paths)
  paths = paths.filter((path) => !unnamed.has(path))
  await copier.keepOnly(paths)
  const files: Manifest['files'] = {}
  for (const path of paths) files[path] = isMedia(path) ? null : await digestOf(join(copy, path))
  const manifest: Manifest = { format: 1, createdAt: new Date().toISOString(), migrations, files }
  await writeFile(join(folder, manifestName), JSON.stringify(manifest))
  return { files: paths.length, bytes: copier.bytes, pausedMs: Math.round(pausedMs), copiedInPause }
}

/** Paths relative to the folder. `-shm` files are only an index of the write-ahead logs, and made again. */
export const filesIn = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith('-shm'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
}

/** File systems note times in ticks of up to 10 ms. A file that has just been written may change within one. */
const SETTLED_MS = 1_000
const PARALLEL = 16

interface Copied {
  bytes: number
  /** When and how large the file was before it was copied. null: it may have been changed meanwhile. */
  version: string | null
}

const createCopier = (from: string, to: string) => {
  const copied = new Map<string, Copied>()
  let copies = 0

  const copyOne = async (path: string): Promise<void> => {
    const [source, target] = [join(from, path), join(to, path)]
    const before = copied.get(path)
    if (before && isMedia(path)) return
    const startedAt = Date.now()
    const found = await stat(source, { bigint: true })
    if (before?.version && before.version === versionOf(found)) return
    await mkdir(dirname(target), { recursive: true })
    if (isMedia(path)) await link(source, target)
    else await copyFile(source, target, constants.COPYFILE_FICLONE)
    copies++
    const isSettled = startedAt - Number(found.mtimeMs) > SETTLED_MS
    copied.set(path, { bytes: Number(found.size), version: isSettled ? versionOf(found) : null })
  }

  return {
    copy: (paths: readonly string[], signal?: AbortSignal): Promise<void> =>
      lanes(
        PARALLEL,
        paths,
        // While workerd runs, files come and go.
        (path) =>
          copyOne(path).catch((error) => {
            if (signal || error.code !== 'ENOENT') throw error
          }),
        signal,
      ),
    /** Removes the others, such as files that were deleted between the first copy and the stop. */
    keepOnly: async (paths: readonly string[]): Promise<void> => {
      const kept = new Set(paths)
      for (const path of copied.keys()) {
        if (kept.has(path)) continue
        await rm(join(to, path))
        copied.delete(path)
      }
    },
    get copies() {
      return copies
    },
    get bytes() {
      return copied.values().reduce((sum, { bytes }) => sum + bytes, 0)
    },
  }
}

const versionOf = ({ mtimeNs, size, ino }: BigIntStats): string => `${mtimeNs} ${size} ${ino}`
