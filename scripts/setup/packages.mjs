import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from './command.mjs'
import { packagesDir, pathWithoutPackages, pinnedNode, root } from './paths.mjs'

export const ensurePackages = async (log) => {
  if (await arePackagesReady()) return
  log('Installing npm packages')
  // --include=dev, because NODE_ENV=production would leave out wrangler and Node itself.
  const env = { ...process.env, PATH: pathWithoutPackages }
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
  await run('npm', args, { cwd: root, env }).catch((error) => {
    // npm appends its usage to every error.
    throw new Error(error.message.split('\nnpm error\nnpm error Clean install')[0])
  })
  if (!existsSync(pinnedNode))
    throw new Error('The npm package `node` has no program: allow its install script and run the command again.')
}

/** npm writes the packages that it has installed into .package-lock.json. */
const arePackagesReady = async () => {
  const [locked, installed] = await Promise.all([
    packagesOf(join(root, 'package-lock.json')),
    packagesOf(join(packagesDir, '.package-lock.json')),
  ])
  return existsSync(pinnedNode) && isInstalled(locked, installed)
}

const packagesOf = async (lockfile) => {
  const text = await readFile(lockfile, 'utf8').catch(() => '{}')
  return JSON.parse(text).packages ?? {}
}

/** Optional packages of other systems may be missing, but must not have another version. */
const isInstalled = (locked, installed) => {
  const isSame = (path) => installed[path]?.version === locked[path]?.version
  const isExpected = ([path, { optional, devOptional }]) => path !== '' && !optional && !devOptional
  return (
    Object.entries(locked)
      .filter(isExpected)
      .every(([path]) => isSame(path)) && Object.keys(installed).every(isSame)
  )
}
