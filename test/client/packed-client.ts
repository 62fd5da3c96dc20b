import { execFile } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { dependencies } from '../../client/package.json' with { type: 'json' }
import { withLock } from '../../scripts/setup/lock.mjs'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

/**
 * Installs the client into a new folder as its users do: what `npm pack` makes of it, and its dependencies, packed from
 * the checkout so that no registry is needed.
 */
export const installPackedClient = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  const pack = (path: string, ...options: string[]) =>
    run('npm', ['pack', join(root, path), '--silent', '--pack-destination', folder, ...options], { cwd: root })
  // It is compiled before it is packed, in the checkout, where another test may do the same.
  const lock = join(root, '.tools/client-pack.lock')
  await withLock(
    lock,
    () => {},
    () => pack('client'),
  )
  for (const name of Object.keys(dependencies)) await pack(`node_modules/${name}`, '--ignore-scripts')
  const tarballs = (await readdir(folder)).filter((name) => name.endsWith('.tgz')).map((name) => `./${name}`)
  const quiet = ['--offline', '--no-audit', '--no-fund', '--loglevel=error']
  await run('npm', ['install', ...quiet, ...tarballs], { cwd: folder })
}
