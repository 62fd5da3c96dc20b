import { randomBytes } from 'node:crypto'
import { link, open, rename, rm, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { UsageError } from '../exit-codes.ts'
import { invisible, writeOut } from '../terminal/output.ts'

/** Where a result is written: a stream, a file that the user named, or a folder that gets the result's own filename. */
export type Target =
  /** stdout, or a device or named pipe, which has no complete state and is written as it is. */
  | { kind: 'stream'; path?: string }
  | { kind: 'file'; path: string; mayReplace: boolean }
  | { kind: 'folder'; path: string; mayReplace: boolean }

type FileTarget = Exclude<Target, { kind: 'stream' }>

/** The target for `-o`, if it is given. Checked before a job starts, so that a file in the way costs nothing. */
export const targetOf = async (
  output: string | undefined,
  { force = false }: { force?: boolean | undefined } = {},
): Promise<Target | undefined> => {
  if (output === undefined) return undefined
  if (output === '-') return { kind: 'stream' }
  const found = await stat(output).catch(() => null)
  if (found?.isDirectory()) return { kind: 'folder', path: output, mayReplace: force }
  if (output.endsWith('/') || output.endsWith(sep)) {
    throw new UsageError(`The folder ${output} does not exist.`)
  }
  const folder = await stat(resolve(output, '..')).catch(() => null)
  if (!folder?.isDirectory()) throw new UsageError(`The folder of ${output} does not exist.`)
  if (found && !found.isFile()) return { kind: 'stream', path: output }
  if (found && !force) throw new UsageError(`${output} exists already. Overwrite it with --force.`)
  return { kind: 'file', path: output, mayReplace: force }
}

type Write = (chunk: Uint8Array) => Promise<void>

/**
 * Writes what `fill` produces to the target. A file has a temporary name beside its own until it is complete, so that
 * nobody takes half a file for a whole one. Resolves with the path of the file; null: a stream was written.
 */
export const save = async (
  target: Target,
  filename: string,
  fill: (write: Write) => Promise<void>,
): Promise<string | null> => {
  if (target.kind === 'stream') {
    await (target.path === undefined ? fill(writeOut) : writeTo(target.path, 'w', fill))
    return null
  }
  const draft = draftFor(target)
  try {
    await writeTo(draft, 'wx', fill)
    return await moveToTarget(draft, target, filename)
  } finally {
    await rm(draft, { force: true })
  }
}

const draftFor = (target: FileTarget): string => {
  const folder = target.kind === 'folder' ? target.path : dirname(target.path)
  const name = target.kind === 'folder' ? 'haul' : basename(target.path).slice(0, 60)
  return join(folder, `.${name}.${randomBytes(4).toString('hex')}.part`)
}

const writeTo = async (path: string, flags: 'w' | 'wx', fill: (write: Write) => Promise<void>): Promise<void> => {
  const file = await open(path, flags)
  try {
    await fill(async (chunk) => void (await file.writeFile(chunk)))
  } finally {
    await file.close()
  }
}

/**
 * Gives a complete file its name. Where the user chose the name, a file that has appeared meanwhile is not replaced
 * without --force. Where the source chose it, the next free one is taken, because the job has been paid for.
 */
const moveToTarget = async (draft: string, target: FileTarget, filename: string): Promise<string> => {
  const own = target.kind === 'file' ? target.path : join(target.path, safeFilename(filename))
  if (target.mayReplace) {
    await rename(draft, own)
    return own
  }
  for (let number = 1; ; number++) {
    const path = number === 1 ? own : join(target.path, numberedFilename(safeFilename(filename), number))
    if (await moveIfFree(draft, path)) return path
    if (target.kind === 'file') throw new UsageError(`${path} exists already. Overwrite it with --force.`)
  }
}

/** A hard link fails if the name is taken, in one step. Some file systems have none. */
const moveIfFree = async (draft: string, path: string): Promise<boolean> => {
  try {
    await link(draft, path)
    await unlink(draft)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    if (await stat(path).catch(() => null)) return false
    await rename(draft, path)
    return true
  }
}

/** Room for ` (2)` within the 255 bytes of most file systems. */
const MAX_BYTES = 240

/**
 * A name from a source, without a path, control characters and names that Windows reserves. The API's names are safe
 * already; this keeps a file in its folder even if the API is hostile.
 */
export const safeFilename = (name: string): string => {
  const cleaned = stripVTControlCharacters(name)
    .normalize('NFC')
    .replace(invisible, '')
    .replace(/[/\\:*?"<>|]/g, '_')
    .replace(/^[\s.-]+|[\s.]+$/g, '')
  const { stem, extension } = splitName(cleaned)
  const free = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i.test(stem) ? `${stem}_` : stem
  const room = MAX_BYTES - Buffer.byteLength(extension)
  return `${cutToBytes(free, room) || 'media'}${extension}`
}

/** `talk (2).mp4` */
export const numberedFilename = (name: string, number: number): string => {
  const { stem, extension } = splitName(name)
  return `${stem} (${number})${extension}`
}

export const splitName = (name: string): { stem: string; extension: string } => {
  const [, stem = name, extension = ''] = /^(.+)(\.[A-Za-z0-9]{1,10})$/s.exec(name) ?? []
  return { stem, extension }
}

const cutToBytes = (text: string, maxBytes: number): string => {
  let kept = ''
  let bytes = 0
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > maxBytes) break
    kept += character
  }
  return kept.trimEnd()
}
