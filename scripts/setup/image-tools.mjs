import { join } from 'node:path'
import { isOnPath } from './command.mjs'
import { root, toolsDir } from './paths.mjs'
import { ensureVenv } from './python.mjs'
import { installOrExplain } from './system.mjs'

/** For `npm run test:image` and `npm run test:compose`: building and running images without Docker's engine. */
const packages = ['buildah', 'debootstrap', 'podman', 'runc', 'netavark', 'aardvark-dns', 'iptables']

export const ensureImageTools = async (log) => {
  // netavark calls iptables, but its Debian package does not depend on it.
  const programs = await Promise.all(['buildah', 'podman', 'runc', 'iptables'].map(isOnPath))
  if (programs.includes(false)) await installOrExplain('buildah and podman', packages, log)
}

/** Returns the folder with podman-compose. */
export const ensurePodmanCompose = async (log) => {
  const folder = join(toolsDir, 'podman-compose')
  const requirements = join(root, 'scripts/compose/requirements.txt')
  await ensureVenv({ folder, requirements, what: 'podman-compose' }, log)
  return join(folder, 'bin')
}
