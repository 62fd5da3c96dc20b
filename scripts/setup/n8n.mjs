import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from './command.mjs'
import { toolsDir } from './paths.mjs'

/**
 * For `npm run test:long`: n8n itself, 3 GB, which take five minutes to install. Of its native packages only SQLite is
 * built. Others, such as Kafka's, need system libraries, and the example does not use them.
 */
const VERSION = '2.41.1'
const folder = join(toolsDir, `n8n-${VERSION}`)

/** Returns the folder that has n8n in its node_modules. */
export const ensureN8n = async (log) => {
  if (existsSync(folder)) return folder
  log(`Installing n8n ${VERSION}, which takes minutes`)
  await mkdir(toolsDir, { recursive: true })
  const incoming = await mkdtemp(join(toolsDir, '.n8n-'))
  try {
    const options = ['--prefix', incoming, '--no-audit', '--no-fund']
    await run('npm', ['install', ...options, '--ignore-scripts', `n8n@${VERSION}`], { cwd: incoming })
    await run('npm', ['rebuild', ...options, 'sqlite3'], { cwd: incoming })
    await rename(incoming, folder)
  } finally {
    await rm(incoming, { recursive: true, force: true })
  }
  return folder
}
