import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../../../../scripts/setup/command.mjs'
import { replaceFolder } from '../../../../../scripts/setup/install.mjs'
import { toolsDir } from '../../../../../scripts/setup/paths.mjs'

/**
 * Installs n8n itself for `npm run test:long`: 3 GB in five minutes. SQLite is the only native package of it that is
 * built. Others, such as Kafka's, need system libraries, and the example does not use them. Returns the folder that has
 * n8n in its node_modules.
 */
export const ensureN8n = async (log) => {
  const version = '2.41.1'
  const folder = join(toolsDir, `n8n-${version}`)
  if (existsSync(folder)) return folder
  log(`Installing n8n ${version}, which takes minutes`)
  await replaceFolder(folder, async (staging) => {
    const options = ['--prefix', staging, '--no-audit', '--no-fund']
    await run('npm', ['install', ...options, '--ignore-scripts', `n8n@${version}`], { cwd: staging })
    await run('npm', ['rebuild', ...options, 'sqlite3'], { cwd: staging })
  })
  return folder
}
