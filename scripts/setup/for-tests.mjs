import { join } from 'node:path'
import { isOnPath } from './command.mjs'
import { withLock } from './install.mjs'
import { root, toolsDir } from './paths.mjs'
import { ensureVenv } from './python.mjs'
import { ensureChromium, installOrExplain } from './system.mjs'

/** What `npm test` needs. Without one of them only its tests fail. */
export const setUpForTests = async (log) => {
  await installed(log, {
    'bucket copies': ensureS3Server(),
    'the console': ensureChromium(log),
    'the client for Python': ensurePythonTools(log),
  })
  if (process.argv.some((arg) => arg.startsWith('test/'))) await setUpForFurtherTests(log)
}

/** What else `npm run test:all` needs, and tests that are named. */
export const setUpForFurtherTests = async (log) => {
  const [{ ensurePromtool }, { ensureOpenaiPython }, { ensureRuntimes }] = await Promise.all([
    import('../../test/further/rules/prometheus/ensure-promtool.mjs'),
    import('../../test/further/product/openai/ensure-openai.mjs'),
    import('../../test/further/product/client/runtimes/ensure-runtimes.mjs'),
  ])
  await installed(log, {
    'the alerts': ensurePromtool(log),
    "OpenAI's package for Python": ensureOpenaiPython(log),
    'the client in other runtimes': ensureRuntimes(log),
  })
}

/** What `npm run test:clients` needs. Clients that cannot be installed here are left out, and the tests know which these are. */
export const setUpForClients = async (log) => {
  const { ensureClients } = await import('../../test/clients/ensure-clients.mjs')
  await installed(log, { 'the clients in pages': ensureChromium(log) })
  process.env.HAUL_CLIENTS = JSON.stringify(await ensureClients(log))
}

const installed = (log, installations) =>
  Promise.all(
    Object.entries(installations).map(([what, installation]) =>
      installation.catch((error) => log(`The tests of ${what} will fail: ${error.message}`)),
    ),
  )

/** Needs Go. The tests of bucket copies are left out when the server cannot be downloaded. */
const ensureS3Server = async () => {
  const { ensureVersity, S3ServerNotServed } = await import('../../test/doubles/s3/ensure-versity.mjs')
  await ensureVersity().catch((error) => {
    if (!(error instanceof S3ServerNotServed)) throw error
    process.env.HAUL_TEST_WITHOUT_S3 = error.message
  })
}

export const ensurePythonTools = (log) => {
  const folder = join(toolsDir, 'python-tools')
  const requirements = join(root, 'test/rules/python/requirements.txt')
  return withLock(`${folder}.lock`, log, () =>
    ensureVenv({ folder, requirements, what: 'the tools of the client for Python' }, log),
  )
}

export const ensureImageTools = async (log) => {
  const programs = await Promise.all(['buildah', 'podman', 'runc', 'iptables'].map(isOnPath))
  if (programs.includes(false)) await installOrExplain('buildah and podman', log)
}

export const ensurePodmanCompose = async (log) => {
  const folder = join(toolsDir, 'podman-compose')
  const requirements = join(root, 'test/compose/requirements.txt')
  await ensureVenv({ folder, requirements, what: 'podman-compose' }, log)
  return join(folder, 'bin')
}
