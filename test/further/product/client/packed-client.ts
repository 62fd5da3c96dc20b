import { execFile } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { dependencies } from '../../../../client/package.json' with { type: 'json' }
import { ensureClient } from '../../../../scripts/setup/client.mjs'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../../../..')

/**
 * Installs the client into a new folder as its users do: what `npm pack` makes of it, and its dependencies, packed from
 * the checkout so that no registry is needed.
 */
export const installPackedClient = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  // Compiled once for all tests: what npm does before it packs would remove dist/ while another test uses it.
  await ensureClient(() => {})
  const options = ['--silent', '--ignore-scripts', '--pack-destination', folder]
  for (const path of ['client', ...Object.keys(dependencies).map((name) => `node_modules/${name}`)]) {
    await run('npm', ['pack', join(root, path), ...options], { cwd: root })
  }
  const tarballs = (await readdir(folder)).filter((name) => name.endsWith('.tgz')).map((name) => `./${name}`)
  const quiet = ['--offline', '--no-audit', '--no-fund', '--loglevel=error']
  await run('npm', ['install', ...quiet, ...tarballs], { cwd: folder })
}
