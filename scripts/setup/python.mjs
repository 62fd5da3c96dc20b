import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root, venvDir, venvPython } from '../checkout.mjs'
import { run } from './command.mjs'
import { installOrExplain } from './system.mjs'

const requirements = join(root, 'container', 'requirements.txt')
/** Holds the digest of the requirements that pip has met, so that a later start need not ask pip. */
const stamp = join(venvDir, 'requirements.sha256')

const isPythonReady = async () => {
  const met = await readFile(stamp, 'utf8').catch(() => '')
  return existsSync(venvPython) && met === (await digestOfRequirements())
}

/** yt-dlp at the pinned version, in a venv of this checkout. */
export const ensurePython = async (log) => {
  if (await isPythonReady()) return
  if (!(await works(venvPython))) await makeVenv(log)
  log('Installing yt-dlp')
  const install = ['-I', '-m', 'pip', 'install', '--quiet', '--require-hashes', '--no-input']
  await run(venvPython, [...install, '--disable-pip-version-check', '-r', requirements])
  await writeFile(stamp, await digestOfRequirements())
}

const digestOfRequirements = async () =>
  createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex')

const makeVenv = async (log) => {
  const python = (await findPython()) ?? (await installPython(log))
  log('Making a Python environment in .tools/venv')
  await rm(venvDir, { recursive: true, force: true })
  await run(python, ['-m', 'venv', venvDir])
}

const installPython = async (log) => {
  const what = 'Python 3.10 or newer with venv'
  await installOrExplain(what, ['python3', 'python3-venv'], log)
  const found = await findPython()
  if (!found) throw new Error(`Haul needs ${what}, and this system's packages hold an older one.`)
  return found
}

const candidates = ['python3', ...[14, 13, 12, 11, 10].map((minor) => `python3.${minor}`)]

const findPython = async () => {
  for (const candidate of candidates) if (await works(candidate)) return candidate
  return undefined
}

/** Debian cuts ensurepip out of python3: a venv made without it has no pip. */
const works = (python) =>
  run(python, ['-I', '-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))']).then(
    () => true,
    () => false,
  )
