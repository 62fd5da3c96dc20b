import { existsSync } from 'node:fs'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { run, succeeds } from './command.mjs'
import { isDone, sha256OfFile } from './install.mjs'
import { root, venvDir } from './paths.mjs'
import { installOrExplain } from './system.mjs'

export const ensurePython = (log) => {
  const requirements = join(root, 'container', 'requirements.txt')
  return ensureVenv({ folder: venvDir, requirements, what: 'yt-dlp', pipOptions: ['--require-hashes'] }, log)
}

export const ensureVenv = async ({ folder, requirements, what, pipOptions = [], minimumMinor = 10 }, log) => {
  const python = join(folder, 'bin', 'python')
  const stamp = join(folder, 'requirements.sha256')
  const digest = await sha256OfFile(requirements)
  if (existsSync(python) && (await isDone(stamp, digest))) return python
  if (!(await works(python, minimumMinor))) await createVenv(folder, minimumMinor, log)
  log(`Installing ${what}`)
  const install = ['-I', '-m', 'pip', 'install', '--quiet', ...pipOptions, '--no-input']
  await run(python, [...install, '--disable-pip-version-check', '-r', requirements])
  await writeFile(stamp, digest)
  return python
}

const createVenv = async (folder, minimumMinor, log) => {
  const python = (await findPython(minimumMinor)) ?? (await installPython(minimumMinor, log))
  log(`Creating a Python environment in .tools/${basename(folder)}`)
  await rm(folder, { recursive: true, force: true })
  await run(python, ['-m', 'venv', folder])
}

const installPython = async (minimumMinor, log) => {
  await installOrExplain('Python 3.10 or newer with venv', log)
  const found = await findPython(minimumMinor)
  if (!found)
    throw new Error(`This needs Python 3.${minimumMinor} or newer with venv, and this system's package is older.`)
  return found
}

const candidates = ['python3', ...[14, 13, 12, 11, 10].map((minor) => `python3.${minor}`)]

/** pyenv has versions that are not on the PATH. */
const ofPyenv = async () => {
  const versions = join(process.env.PYENV_ROOT ?? join(homedir(), '.pyenv'), 'versions')
  return (await readdir(versions).catch(() => [])).map((version) => join(versions, version, 'bin/python'))
}

const findPython = async (minimumMinor) => {
  const all = [...candidates, ...(minimumMinor > 10 ? await ofPyenv() : [])]
  for (const candidate of all) if (await works(candidate, minimumMinor)) return candidate
  return undefined
}

/** Debian's python3 has no ensurepip without python3-venv, and a venv without it has no pip. */
const works = (python, minimumMinor) =>
  succeeds(python, ['-I', '-c', `import sys, venv, ensurepip; sys.exit(sys.version_info < (3, ${minimumMinor}))`])
