import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runInForeground } from './command.mjs'
import { packagesDir, pathWithPackages, pinnedNode, root } from './paths.mjs'

/** Runs a program of scripts/ under the Node version that package.json pins. */
export const runUnderPinnedNode = async (program) => {
  const path = join(root, 'scripts', program)
  process.env.PATH = pathWithPackages
  if (process.env.npm_lifecycle_event) stopWithParent()
  if (process.versions.node === pinnedVersion()) return import(pathToFileURL(path).href)
  // The IPC channel closes when we are killed, and the child then stops.
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc']
  process.exitCode = await runInForeground(pinnedNode, [path, ...process.argv.slice(2)], { stdio })
}

const pinnedVersion = () => JSON.parse(readFileSync(join(packagesDir, 'node', 'package.json'), 'utf8')).version

/** npm forwards signals, but we would outlive a killed npm. (`exec` in package.json makes npm our parent, not a shell.) */
const stopWithParent = () => {
  const parent = process.ppid
  const check = () => process.ppid === parent || process.kill(process.pid, 'SIGTERM')
  setInterval(check, 1_000).unref()
}
