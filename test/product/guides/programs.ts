import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { venvPython } from '../../../scripts/start/environment.ts'
import { type InstalledHaul, installHaul } from '../command-line.ts'
import type { Programs } from './run.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../../..')
const requirements = join(import.meta.dirname, 'requirements.txt')
const venv = join(root, '.tools/venv-of-guides')

/** The client, the command line and the Python packages that a reader of the guides installs. */
export const installPrograms = async (): Promise<Programs & Pick<InstalledHaul, 'remove'>> => {
  const [{ folder, remove }, python] = await Promise.all([installHaul(), ensurePython()])
  await symlink(join(root, 'node_modules/standardwebhooks'), join(folder, '../node_modules/standardwebhooks'))
  await symlink(join(root, 'node_modules/@stablelib'), join(folder, '../node_modules/@stablelib'))
  return { folder, bin: join(folder, '../bin'), python, remove }
}

/** Installs the packages once for each checkout. */
const ensurePython = async (): Promise<string> => {
  const python = join(venv, 'bin/python')
  const stamp = join(venv, 'requirements.sha256')
  const digest = createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex')
  if (existsSync(stamp) && (await readFile(stamp, 'utf8')) === digest) return python
  await run(venvPython, ['-m', 'venv', '--clear', venv])
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements])
  await writeFile(stamp, digest)
  return python
}
