import { existsSync } from 'node:fs'
import { mkdir, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { isOnPath, run } from '../../../../scripts/setup/command.mjs'
import { withLock, withStaging } from '../../../../scripts/setup/install.mjs'
import { toolsDir } from '../../../../scripts/setup/paths.mjs'
import { explain } from '../../../../scripts/setup/system.mjs'

const promtool = join(toolsDir, 'bin/promtool')

/**
 * Promtool evaluates Prometheus's rules. Debian's package also has the server and would start it, so the package is
 * unpacked and not installed. That needs no root. Returns the program.
 */
export const ensurePromtool = async (log) => {
  if (existsSync(promtool)) return promtool
  if (await isOnPath('promtool')) return 'promtool'
  if (!(await isOnPath('apt-get'))) throw new Error(explain('promtool'))
  return withLock(join(toolsDir, 'promtool.lock'), log, async () => {
    if (existsSync(promtool)) return promtool
    log("Downloading promtool from the system's packages")
    await withStaging(toolsDir, async (staging) => {
      await run('dpkg-deb', ['--extract', await downloadPrometheus(staging), staging])
      const unpacked = join(staging, 'usr/bin/promtool')
      await run(unpacked, ['--version'])
      await mkdir(join(toolsDir, 'bin'), { recursive: true })
      await rename(unpacked, promtool)
    })
    return promtool
  })
}

/** Uses a package list of its own: the system's may be missing or too old, and only root may change it. */
const downloadPrometheus = async (folder) => {
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
