import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where things lie in this checkout. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)))
export const toolsDir = join(root, '.tools')
export const venvDir = join(toolsDir, 'venv')
export const venvPython = join(venvDir, 'bin', 'python')
export const packagesDir = join(root, 'node_modules')
export const pinnedNode = join(packagesDir, 'node', 'bin', 'node')

const ownPrograms = join(packagesDir, '.bin')
const path = (process.env.PATH ?? '').split(delimiter)

/** Our programs first, so that `node` is the pinned one for every child. */
export const pathWithOurs = [ownPrograms, ...path.filter((part) => part !== ownPrograms)].join(delimiter)

/** For programs that must not run on what they are about to replace. */
export const pathWithoutOurs = path.filter((part) => !part.startsWith(packagesDir)).join(delimiter)
