import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packagesDir, pathWithoutOurs, pinnedNode, root } from '../checkout.mjs'
import { run } from './command.mjs'

/** The npm packages of package-lock.json, the pinned Node among them. */
export const ensurePackages = async (log) => {
  if (await arePackagesReady()) return
  log('Installing npm packages')
  // NODE_ENV=production would leave out wrangler and Node itself.
  const env = { ...process.env, PATH: pathWithoutOurs }
  await run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: root, env }).catch(
    brief,
  )
  if (!existsSync(pinnedNode)) {
    throw new Error('The npm package `node` came without its program: allow its install script and start again.')
  }
}

/** npm follows an error with a page about how it is used. */
const brief = (error) => {
  throw new Error(error.message.split('\nnpm error\nnpm error Clean install')[0])
}

/** npm leaves beside the packages a lockfile of what it has really put there. */
const arePackagesReady = async () => {
  const [wanted, installed] = await Promise.all([
    packagesOf(join(root, 'package-lock.json')),
    packagesOf(join(packagesDir, '.package-lock.json')),
  ])
  return existsSync(pinnedNode) && isInstalled(wanted, installed)
}

const packagesOf = async (lockfile) => {
  const text = await readFile(lockfile, 'utf8').catch(() => '{}')
  return JSON.parse(text).packages ?? {}
}

/** Optional packages are those of other systems: there or not, but never at another version. */
const isInstalled = (wanted, installed) => {
  const isSame = (path) => installed[path]?.version === wanted[path]?.version
  const isExpected = ([path, { optional, devOptional }]) => path !== '' && !optional && !devOptional
  return (
    Object.entries(wanted)
      .filter(isExpected)
      .every(([path]) => isSame(path)) && Object.keys(installed).every(isSame)
  )
}
