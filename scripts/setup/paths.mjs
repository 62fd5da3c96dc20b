import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
export const toolsDir = join(root, '.tools')
export const venvDir = join(toolsDir, 'venv')
export const venvPython = join(venvDir, 'bin', 'python')
export const packagesDir = join(root, 'node_modules')
export const pinnedNode = join(packagesDir, 'node', 'bin', 'node')

const packagePrograms = join(packagesDir, '.bin')
const path = (process.env.PATH ?? '').split(delimiter)

/** Starts with the programs of our packages, so that children run the pinned `node`. */
export const pathWithPackages = [packagePrograms, ...path.filter((part) => part !== packagePrograms)].join(delimiter)

/** npm gets this one: it must not run on the Node that it is about to replace. */
export const pathWithoutPackages = path.filter((part) => !part.startsWith(packagesDir)).join(delimiter)
