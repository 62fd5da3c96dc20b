import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isOnPath, run } from './command.mjs'
import { withLock } from './lock.mjs'
import { toolsDir } from './paths.mjs'
import { explain } from './system.mjs'

/**
 * For tests: promtool, which evaluates Prometheus's rules. Debian's package also has the server and would start it, so
 * the package is unpacked and not installed. That needs no root.
 */

const programs = join(toolsDir, 'bin')
const promtool = join(programs, 'promtool')

/** Returns the program. A second call takes milliseconds. */
export const ensurePromtool = async (log) => {
  if (existsSync(promtool)) return promtool
  if (await isOnPath('promtool')) return 'promtool'
  if (!(await isOnPath('apt-get'))) throw new Error(explain('promtool'))
  const lock = join(toolsDir, 'promtool.lock')
  await withLock(
    lock,
    () => log(`Waiting for another set-up, which holds ${lock}`),
    async () => {
      if (!existsSync(promtool)) await unpackFromDebian(log)
    },
  )
  return promtool
}

const unpackFromDebian = async (log) => {
  log("Downloading promtool from the system's packages")
  await mkdir(programs, { recursive: true })
  const folder = await mkdtemp(join(toolsDir, '.promtool-'))
  try {
    const packageFile = await download(folder)
    await run('dpkg-deb', ['--extract', packageFile, folder])
    const unpacked = join(folder, 'usr/bin/promtool')
    await run(unpacked, ['--version'])
    // Renaming is atomic, so no test starts an incomplete program.
    await rename(unpacked, promtool)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** With a package list of its own: the system's may be missing or too old, and only root may change it. */
const download = async (folder) => {
  const [lists, cache] = [join(folder, 'lists'), join(folder, 'cache')]
  await mkdir(join(lists, 'partial'), { recursive: true })
  await mkdir(join(cache, 'archives/partial'), { recursive: true })
  const folders = ['-o', `Dir::State::lists=${lists}`, '-o', `Dir::Cache=${cache}`]
  const patience = ['-o', 'Acquire::Retries=3', '-o', 'Acquire::http::Timeout=60']
  await run('apt-get', [...folders, ...patience, 'update'], { cwd: folder })
  await run('apt-get', [...folders, ...patience, 'download', 'prometheus'], { cwd: folder })
  const packageFile = (await readdir(folder)).find((name) => name.endsWith('.deb'))
  if (!packageFile) throw new Error('apt-get downloaded no package named prometheus.')
  return join(folder, packageFile)
}
