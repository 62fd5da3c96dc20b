import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { run } from './command.mjs'
import { isDone, sha256OfFile } from './install.mjs'
import { root, venvDir } from './paths.mjs'
import { installOrExplain } from './system.mjs'

/** Installs the pinned yt-dlp into the venv of this checkout. */
export const ensurePython = (log) => {
  const requirements = join(root, 'container', 'requirements.txt')
  return ensureVenv({ folder: venvDir, requirements, what: 'yt-dlp', pipOptions: ['--require-hashes'] }, log)
}

/** An environment with the packages of a requirements file. Returns its Python. */
export const ensureVenv = async ({ folder, requirements, what, pipOptions = [] }, log) => {
  const python = join(folder, 'bin', 'python')
  const stamp = join(folder, 'requirements.sha256')
  const digest = await sha256OfFile(requirements)
  if (existsSync(python) && (await isDone(stamp, digest))) return python
  if (!(await works(python))) await createVenv(folder, log)
  log(`Installing ${what}`)
  const install = ['-I', '-m', 'pip', 'install', '--quiet', ...pipOptions, '--no-input']
  await run(python, [...install, '--disable-pip-version-check', '-r', requirements])
  await writeFile(stamp, digest)
  return python
}

const createVenv = async (folder, log) => {
  const python = (await findPython()) ?? (await installPython(log))
  log(`Creating a Python environment in .tools/${basename(folder)}`)
  await rm(folder, { recursive: true, force: true })
  await run(python, ['-m', 'venv', folder])
}

const installPython = async (log) => {
  const program = 'Python 3.10 or newer with venv'
  await installOrExplain(program, ['python3', 'python3-venv'], log)
  const found = await findPython()
  if (!found) throw new Error(`Haul needs ${program}, and this system's package is older.`)
  return found
}

const candidates = ['python3', ...[14, 13, 12, 11, 10].map((minor) => `python3.${minor}`)]

const findPython = async () => {
  for (const candidate of candidates) if (await works(candidate)) return candidate
  return undefined
}

/** Debian's python3 has no ensurepip without python3-venv, and a venv without it has no pip. */
const works = (python) =>
  run(python, ['-I', '-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))']).then(
    () => true,
    () => false,
  )
