import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from './command.mjs'
import { root, venvDir, venvPython } from './paths.mjs'
import { installOrExplain } from './system.mjs'

const requirements = join(root, 'container', 'requirements.txt')
/** The digest of the requirements that pip has installed, so that a later start need not run pip. */
const stamp = join(venvDir, 'requirements.sha256')

const isPythonReady = async () => {
  const installed = await readFile(stamp, 'utf8').catch(() => '')
  return existsSync(venvPython) && installed === (await digestOfRequirements())
}

/** Installs the pinned yt-dlp into the venv of this checkout. */
export const ensurePython = async (log) => {
  if (await isPythonReady()) return
  if (!(await works(venvPython))) await createVenv(log)
  log('Installing yt-dlp')
  const install = ['-I', '-m', 'pip', 'install', '--quiet', '--require-hashes', '--no-input']
  await run(venvPython, [...install, '--disable-pip-version-check', '-r', requirements])
  await writeFile(stamp, await digestOfRequirements())
}

const digestOfRequirements = async () =>
  createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex')

const createVenv = async (log) => {
  const python = (await findPython()) ?? (await installPython(log))
  log('Creating a Python environment in .tools/venv')
  await rm(venvDir, { recursive: true, force: true })
  await run(python, ['-m', 'venv', venvDir])
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
