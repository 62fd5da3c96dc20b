import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll } from 'vitest'
import { ensureClient } from '../../../scripts/setup/client.mjs'
import { ensurePythonTools } from '../../../scripts/setup/for-tests.mjs'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../../..')

export interface InstalledPackage {
  /** Of a new environment, which has the package. */
  python: string
  /** Has the tools for checks and tests, and not the package. */
  tools: string
  /** The wheel and the archive of the sources. */
  files: string[]
}

/** The package in an environment that the tests of a file share. */
export const installedPackage = () => {
  const made = { folder: '', python: '', tools: '', files: [] as string[] }
  beforeAll(async () => {
    made.folder = await mkdtemp(join(tmpdir(), 'haul-python-'))
    Object.assign(made, await installPythonPackage(made.folder))
    // The first time, the tools are installed.
  }, 180_000)
  afterAll(() => rm(made.folder, { recursive: true, force: true }))
  return made
}

/**
 * Installs the Python package into a new environment in `folder` as its users do: the wheel that is built from the checkout.
 * `others`: Pythons of other environments, whose packages it has too.
 */
export const installPythonPackage = async (folder: string, others: string[] = []): Promise<InstalledPackage> => {
  await ensureClient(() => {})
  const tools = await ensurePythonTools(console.log)
  const [dist, environment] = [join(folder, 'dist'), join(folder, 'environment')]
  // By way of the archive, as those who build it themselves do. The tools have what the build needs.
  await run(tools, ['-m', 'build', '--no-isolation', '--outdir', dist, join(root, 'python')])
  const files = (await readdir(dist)).map((name) => join(dist, name))
  const wheel = files.find((name) => name.endsWith('.whl')) ?? ''
  await run(tools, ['-m', 'venv', '--without-pip', environment])
  const python = join(environment, 'bin/python')
  const pip = ['-m', 'pip', '--python', python, '--disable-pip-version-check', 'install', '--quiet']
  await run(tools, [...pip, '--no-deps', '--no-index', wheel])
  // httpx and what it needs are those of the tools, so that no registry is needed.
  const locate = ['-c', 'import sysconfig; print(sysconfig.get_path("purelib"))']
  const packagesOf = async (program: string) => (await run(program, locate)).stdout.trim()
  const paths = await Promise.all([tools, ...others].map(packagesOf))
  await writeFile(join(await packagesOf(python), 'others.pth'), paths.join('\n'))
  return { python, tools, files }
}
