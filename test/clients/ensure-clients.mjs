import { existsSync } from 'node:fs'
import { copyFile, mkdir, readdir, rename, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { isOnPath, run } from '../../scripts/setup/command.mjs'
import { filesIn, isDone, replaceFolder, sha256OfFile, withLock, withStaging } from '../../scripts/setup/install.mjs'
import { pathWithoutPackages, root, toolsDir } from '../../scripts/setup/paths.mjs'
import { ensureVenv } from '../../scripts/setup/python.mjs'
import { installOrExplain } from '../../scripts/setup/system.mjs'

/** Programs of others that `npm run test:clients` tries: test/clients/clients.ts. */

export const clientsDir = join(toolsDir, 'clients')
const sources = join(root, 'test/clients')

const venvOf = (requirements) => join(clientsDir, `python-${basename(requirements, '.txt')}`)

/** The Python that has the packages of a file such as `requirements/mcp.txt`. */
export const pythonOf = (requirements) => join(venvOf(requirements), 'bin/python')

/**
 * Installs them all, which takes ten minutes the first time, and 3 GB. Returns why some could not be installed, by the file
 * that pins them.
 */
export const ensureClients = (log) =>
  withLock(join(toolsDir, 'clients.lock'), log, async () => {
    const missing = {}
    for (const [manifest, install] of Object.entries(installations)) {
      await install(log).catch((error) => {
        missing[manifest] = error.message
      })
    }
    return missing
  })

const ensurePython = (requirements, minimumMinor) => (log) => {
  const what = `the clients of ${requirements}`
  return ensureVenv(
    { folder: venvOf(requirements), requirements: join(sources, requirements), what, minimumMinor },
    log,
  )
}

/** There is no lockfile, because the repository has one for its own packages. The versions here are exact. */
const ensureNpm = async (log) => {
  const [folder, manifest] = [join(clientsDir, 'node'), join(sources, 'package.json')]
  if (await isSame(manifest, join(folder, 'package.json'))) return
  log('Installing the clients of npm')
  await replaceFolder(folder, async (staging) => {
    await copyFile(manifest, join(staging, 'package.json'))
    const options = ['--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error']
    await run('npm', ['install', ...options], { cwd: staging, env: { ...process.env, PATH: pathWithoutPackages } })
  })
}

const isSame = async (a, b) => existsSync(b) && (await sha256OfFile(a)) === (await sha256OfFile(b))

/** `build` makes all programs of a language in a new folder, when one of their files has changed. */
const ensureBuilt = (program, language, isSource, build) => async (log) => {
  if (!(await isOnPath(program))) throw new Error(`\`${program}\` is not installed.`)
  const stamp = join(clientsDir, `${program}.sha256`)
  const files = (await filesIn(sources)).filter(isSource)
  const digest = (await Promise.all(files.map(sha256OfFile))).join()
  if (await isDone(stamp, digest)) return
  log(`Building the clients in ${language}`)
  const bin = join(clientsDir, 'bin')
  await mkdir(bin, { recursive: true })
  await withStaging(clientsDir, async (staging) => {
    await build(staging)
    for (const file of await filesIn(staging)) await rename(file, join(bin, basename(file)))
  })
  await writeFile(stamp, digest)
}

const isGo = (file) => /\.go$|go\.(?:mod|sum)$/.test(file)
const buildGo = (staging) => run('go', ['build', '-o', `${staging}/`, './...'], { cwd: sources })

const isRust = (file) => /\.rs$|Cargo\.(?:toml|lock)$/.test(file)
const buildRust = async (staging) => {
  const target = join(clientsDir, 'cargo')
  await run('cargo', ['build', '--locked', '--quiet', '--target-dir', target], { cwd: sources })
  const made = await readdir(join(target, 'debug'), { withFileTypes: true })
  const programs = made.filter((entry) => entry.isFile() && !entry.name.includes('.')).map(({ name }) => name)
  for (const name of programs) await copyFile(join(target, 'debug', name), join(staging, name))
}

const ensureSystemPrograms = async (log) => {
  const packages = { curl: 'curl', wget: 'wget', aria2c: 'aria2' }
  for (const [program, name] of Object.entries(packages)) {
    if (!(await isOnPath(program))) await installOrExplain(name, log)
  }
}

const installations = {
  'requirements/mcp.txt': ensurePython('requirements/mcp.txt'),
  'requirements/langchain.txt': ensurePython('requirements/langchain.txt'),
  'requirements/litellm.txt': ensurePython('requirements/litellm.txt'),
  'requirements/wyoming.txt': ensurePython('requirements/wyoming.txt', 12),
  'package.json': ensureNpm,
  'go.mod': ensureBuilt('go', 'Go', isGo, buildGo),
  'Cargo.toml': ensureBuilt('cargo', 'Rust', isRust, buildRust),
  system: ensureSystemPrograms,
}
