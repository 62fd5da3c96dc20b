import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { packagesDir, pathWithPackages, pinnedNode, root } from './paths.mjs'

/** Runs a program of scripts/ under the Node version that package.json pins. */
export const runUnderPinnedNode = async (program) => {
  const path = join(root, 'scripts', program)
  process.env.PATH = pathWithPackages
  if (process.env.npm_lifecycle_event) stopWithParent()
  if (process.versions.node === pinnedVersion()) await import(pathToFileURL(path).href)
  else process.exitCode = await runAsChild(path)
}

const pinnedVersion = () => JSON.parse(readFileSync(join(packagesDir, 'node', 'package.json'), 'utf8')).version

/** The IPC channel closes when we are killed, and the child then stops. */
const runAsChild = (path) =>
  new Promise((resolve, reject) => {
    const child = spawn(pinnedNode, [path, ...process.argv.slice(2)], {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    })
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]))
  })

/** npm forwards signals, but we would outlive a killed npm. (`exec` in package.json makes npm our parent, not a shell.) */
const stopWithParent = () => {
  const parent = process.ppid
  const check = () => process.ppid === parent || process.kill(process.pid, 'SIGTERM')
  setInterval(check, 1_000).unref()
}
