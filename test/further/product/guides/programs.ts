import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureOpenaiPython } from '../../../../scripts/setup/for-tests.mjs'
import { installPythonPackage } from '../../../rules/python/installed-package.ts'
import { type InstalledHaul, installHaul } from '../../../support/product/command-line.ts'
import type { Programs } from './run.ts'

const packages = join(import.meta.dirname, '../../../../node_modules')

/** The clients, the command line and the other packages that a reader of the guides installs. */
export const installPrograms = async (): Promise<Programs & Pick<InstalledHaul, 'remove'>> => {
  const [{ folder, remove }, openai] = await Promise.all([installHaul(), ensureOpenaiPython(console.log)])
  const { python } = await installPythonPackage(join(folder, '../python'), [openai])
  // Node looks for its dependencies where the link leads.
  for (const name of ['standardwebhooks', 'ai', '@ai-sdk']) {
    await symlink(join(packages, name), join(folder, '../node_modules', name))
  }
  return { folder, bin: join(folder, '../bin'), python, remove }
}
