import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../../..')

/** A digest of the arguments and the result of each method, such as `AccountObject.admit`, and of each queue's message. */
export type Digests = Record<string, string>

/** Of surface.ts as the compiler declares it, with all types spelled out. */
export const digestsOfRpc = async (): Promise<Digests> => {
  const folder = await mkdtemp(join(tmpdir(), 'haul-rpc-'))
  try {
    const emit = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--noCheck']
    const errors = await output(join(root, 'node_modules/.bin/tsc'), [
      ...['-p', join(root, 'test/worker/tsconfig.json')],
      ...[...emit, '--rootDir', root, '--outDir', folder],
    ])
    const declared = join(folder, 'test/further/rules/releases/surface.d.ts')
    const declaration = await readFile(declared, 'utf8').catch(() => '')
    if (declaration === '' || /\b(import\(|Plain<|any\b)/.test(declaration))
      throw new Error(`surface.ts could not be declared without names of types.\n${errors}`)
    return digestsOf(declaration)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The compiler also declares all other files of the project, some of which have types without a name. */
const output = (command: string, args: string[]): Promise<string> =>
  new Promise((resolve) => {
    execFile(command, args, { cwd: root, maxBuffer: 64 * 1024 * 1024 }, (_, stdout) => resolve(stdout))
  })

/** In the declaration a class begins at the left margin, and each of its methods four spaces from it. */
const digestsOf = (declaration: string): Digests =>
  Object.fromEntries(
    declaration.split(/^export declare const /m).flatMap((text) => {
      const [name] = text.split(':', 1)
      const methods = text.split(/^ {4}(?=\w+:)/m).slice(1)
      return methods.map((method) => [`${name}.${method.split(':', 1)[0]}`, digestOf(method)])
    }),
  )

const digestOf = (text: string): string => createHash('sha256').update(text.trim()).digest('hex').slice(0, 12)

/** One sentence for each method of the last release that this version has not, or has with other types. */
export const changedMethods = (last: Digests, today: Digests): string[] =>
  Object.entries(last).flatMap(([name, digest]) => {
    if (today[name] === digest) return []
    return today[name] ? `${name} has other arguments or another result` : `${name} is missing`
  })
