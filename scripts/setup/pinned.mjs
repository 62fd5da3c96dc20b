import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { packagesDir, pathWithOurs, pinnedNode, root } from '../checkout.mjs'

/** Goes on with a program of this folder under the Node that package.json pins, whichever Node we are. */
export const goOnWith = async (program) => {
  const path = join(root, 'scripts', program)
  process.env.PATH = pathWithOurs
  if (process.env.npm_lifecycle_event) endWithParent()
  if (process.versions.node === pinnedVersion()) await import(pathToFileURL(path).href)
  else process.exitCode = await runAsChild(path)
}

const pinnedVersion = () => JSON.parse(readFileSync(join(packagesDir, 'node', 'package.json'), 'utf8')).version

/** The channel tells the child that we are gone, should we be killed. */
const runAsChild = (path) =>
  new Promise((resolve, reject) => {
    const child = spawn(pinnedNode, [path, ...process.argv.slice(2)], {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    })
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]))
  })

/** npm passes signals on, but not its own sudden death. (`exec` in package.json makes npm our parent, not a shell.) */
const endWithParent = () => {
  const parent = process.ppid
  const look = () => process.ppid === parent || process.kill(process.pid, 'SIGTERM')
  setInterval(look, 1_000).unref()
}
