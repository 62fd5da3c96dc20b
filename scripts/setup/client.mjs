import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from './command.mjs'
import { withLock } from './lock.mjs'
import { pinnedNode, root, toolsDir } from './paths.mjs'

const client = join(root, 'client')
const compiled = join(client, 'dist/src/index.js')

/** Compiles the package haul-client, unless that was done since its last change. */
export const ensureClient = (log) => {
  const lock = join(toolsDir, 'client.lock')
  return withLock(
    lock,
    () => log(`Waiting for another compilation, which holds ${lock}`),
    async () => {
      if (await isCompiled()) return
      log('Compiling haul-client')
      await run(pinnedNode, [join(client, 'build.mjs')], { cwd: client })
    },
  )
}

const isCompiled = async () => {
  const compiledAt = (await stat(compiled).catch(() => null))?.mtimeMs ?? 0
  const times = await Promise.all((await sources()).map(async (file) => (await stat(file)).mtimeMs))
  return times.every((time) => time <= compiledAt)
}

const sources = async () => {
  const folders = ['src', 'cli'].map((name) => join(client, name))
  const entries = await Promise.all(
    folders.map((folder) => readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])),
  )
  const files = entries.flat().filter((entry) => entry.isFile())
  return [...files.map(({ parentPath, name }) => join(parentPath, name)), join(client, 'package.json')]
}
