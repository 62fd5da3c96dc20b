import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../../..')

/** The declaration of surface.ts, in which all types are spelled out. */
export const declarationOfSurface = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'haul-rpc-'))
  try {
    const emit = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--noCheck']
    const errors = await output(join(root, 'node_modules/.bin/tsc'), [
      ...['-p', join(root, 'test/worker/tsconfig.json')],
      ...[...emit, '--rootDir', root, '--outDir', folder],
    ])
    const declaration = await readFile(join(folder, 'test/further/rules/releases/rpc/surface.d.ts'), 'utf8').catch(
      () => '',
    )
    if (declaration === '' || /\b(import\(|Plain<|any\b)/.test(declaration))
      throw new Error(`surface.ts could not be declared without names of types.\n${errors}`)
    return declaration
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The compiler also declares all other files of the project, some of which have types without a name. */
const output = (command: string, args: string[]): Promise<string> =>
  new Promise((resolve) => {
    execFile(command, args, { cwd: root, maxBuffer: 64 * 1024 * 1024 }, (_, stdout) => resolve(stdout))
  })
