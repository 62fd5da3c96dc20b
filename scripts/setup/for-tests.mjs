import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isOnPath, run } from './command.mjs'
import { replaceFolder, withLock, withStaging } from './install.mjs'
import { root, toolsDir } from './paths.mjs'
import { ensureVenv } from './python.mjs'
import { ensureChromium, explain, installOrExplain } from './system.mjs'

/** Programs that only tests need. */

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
  const { ensureRuntimes } = await import('../../test/further/product/client/runtimes/ensure-runtimes.mjs')
  await installed(log, {
    'the alerts': ensurePromtool(log),
    "OpenAI's package for Python": ensureOpenaiPython(log),
    'the client in other runtimes': ensureRuntimes(log),
  })
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

/**
 * OpenAI's package for Python, in an environment of its own. The one for JavaScript is an npm package. Returns the Python
 * that has it.
 */
export const ensureOpenaiPython = (log) => {
  const folder = join(toolsDir, 'openai-python')
  const requirements = join(root, 'test/further/product/openai/requirements.txt')
  return withLock(`${folder}.lock`, log, () =>
    ensureVenv({ folder, requirements, what: "OpenAI's package for Python" }, log),
  )
}

/** What checks, builds and tests python/. Returns the Python that has it. */
export const ensurePythonTools = (log) => {
  const folder = join(toolsDir, 'python-tools')
  const requirements = join(root, 'test/rules/python/requirements.txt')
  return withLock(`${folder}.lock`, log, () =>
    ensureVenv({ folder, requirements, what: 'the tools of the client for Python' }, log),
  )
}

/** LangChain and LlamaIndex, for `npm run test:long`. Returns the Python that has them. */
export const ensurePythonFrameworks = (log) =>
  ensureVenv(
    {
      folder: join(toolsDir, 'python-frameworks'),
      requirements: join(root, 'test/rules/python/frameworks/requirements.txt'),
      what: 'LangChain and LlamaIndex',
    },
    log,
  )

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

/**
 * Registries of npm and PyPI for the test of `npm run release`, and what uploads to them, for `npm run test:long`.
 * Verdaccio's plugin for audits, which is not used, depends on a tag of node-fetch that not every registry has. Returns the
 * programs.
 */
export const ensureRegistries = async (log) => {
  const version = '6.10.4'
  const folder = join(toolsDir, `verdaccio-${version}`)
  if (!existsSync(folder)) {
    log(`Installing Verdaccio ${version}`)
    await replaceFolder(folder, async (staging) => {
      const manifest = { private: true, dependencies: { verdaccio: version }, overrides: { 'node-fetch': '2.7.0' } }
      await writeFile(join(staging, 'package.json'), JSON.stringify(manifest))
      await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: staging })
    })
  }
  const ensure = (name, requirements) =>
    ensureVenv({ folder: join(toolsDir, name), requirements: join(root, requirements), what: name }, log)
  return {
    verdaccio: join(folder, 'node_modules/.bin/verdaccio'),
    pypiserver: await ensure('pypiserver', 'test/further/rules/scripts/release/requirements.txt'),
    tools: await ensure('release', 'scripts/release/requirements.txt'),
  }
}

/** `npm run test:image` and `npm run test:compose` build and run images without Docker's engine. */
export const ensureImageTools = async (log) => {
  const packages = ['buildah', 'debootstrap', 'podman', 'runc', 'netavark', 'aardvark-dns', 'iptables']
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
