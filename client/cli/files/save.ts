import { randomBytes } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { writeOut } from '../terminal/output.ts'
import { type FileTarget, moveToTarget, type Target } from './target.ts'

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
  if (target.kind === 'stream' && target.path === undefined) {
    await fill(writeOut)
    return null
  }
  if (target.kind === 'stream') {
    await writeTo(target.path as string, 'w', fill)
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
