import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { installPythonPackage } from '../../../rules/python/installed-package.ts'
import { type InstalledHaul, installHaul, type RunningHaul } from '../../../support/product/command-line.ts'
import { ensureOpenaiPython } from '../openai/ensure-openai.mjs'

const packages = join(import.meta.dirname, '../../../../node_modules')

/** What a reader of the guides has installed. */
export interface Programs extends InstalledHaul {
  /** With the packages `haul_client` and `openai`. */
  python: string
}

/** The clients, the command line and the other packages that a reader of the guides installs. */
export const installPrograms = async (): Promise<Programs> => {
  const [command, openai] = await Promise.all([installHaul(), ensureOpenaiPython(console.log)])
  const place = join(command.folder, '..')
  const { python } = await installPythonPackage(join(place, 'python'), [openai])
  // Node looks for its dependencies where the link leads.
  for (const name of ['standardwebhooks', 'ai', '@ai-sdk']) {
    await symlink(join(packages, name), join(place, 'node_modules', name))
  }
  return { ...command, python }
}

/** Runs a snippet in a folder, as in a terminal of the reader. */
export const startSnippet = async (
  { language, text }: { language: string; text: string },
  { python, startProgram }: Programs,
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<RunningHaul> => {
  const running = startProgram(await commandOf(language, text, cwd, python), {
    cwd,
    env: { HOME: cwd, NO_COLOR: '1', ...env },
  })
  running.endInput()
  return running
}

const commandOf = async (language: string, text: string, cwd: string, python: string): Promise<string[]> => {
  if (language === 'sh') return ['bash', '-eu', '-o', 'pipefail', '-c', text]
  if (language === 'python') return [python, '-c', text]
  if (language !== 'ts' && language !== 'js') throw new Error(`No test runs ${language}`)
  const file = language === 'ts' ? 'snippet.ts' : 'snippet.mjs'
  await writeFile(join(cwd, file), text)
  return [process.execPath, file]
}
