import { copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../../../../../scripts/setup/command.mjs'
import { replaceFolder, withLock } from '../../../../../scripts/setup/install.mjs'
import { pathWithoutPackages, toolsDir } from '../../../../../scripts/setup/paths.mjs'

// Plain JavaScript, because `npm test` runs it before packages are installed.

const here = import.meta.dirname
const folder = join(toolsDir, 'runtimes')

/**
 * Node 20, Bun and Deno. They have 340 MB, so only tests install them. Returns the paths of the programs; a second call
 * takes milliseconds.
 */
export const ensureRuntimes = async (log) => {
  if (!(await isInstalled())) await withLock(`${folder}.lock`, log, () => install(log))
  const program = (name) => join(folder, 'node_modules/.bin', name)
  return { node20: program('node'), bun: program('bun'), deno: program('deno') }
}

const isInstalled = async () => {
  const texts = [here, folder].map((each) => readFile(join(each, 'package.json'), 'utf8').catch(() => null))
  const [wanted, installed] = await Promise.all(texts)
  return wanted === installed
}

const install = async (log) => {
  if (await isInstalled()) return
  log('Installing Node 20, Bun and Deno for the tests of the client')
  await replaceFolder(folder, async (staging) => {
    await copyFile(join(here, 'package.json'), join(staging, 'package.json'))
    const env = { ...process.env, PATH: pathWithoutPackages }
    // There is no lockfile, because npm leaves the packages of other systems out of it. The versions are exact.
    const options = ['--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error']
    await run('npm', ['install', ...options], { cwd: staging, env })
  })
}
