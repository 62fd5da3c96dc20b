import { execFile } from 'node:child_process'
import { glob, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'

/**
 * Compiles the library and the command line into dist/: types with comments, and JavaScript without. The types of the API are
 * generated first.
 */
const here = import.meta.dirname
const dist = join(here, 'dist')
const compiler = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc')

const compile = (...options) =>
  promisify(execFile)(process.execPath, [compiler, '-p', here, '--noEmit', 'false', ...options]).catch(({ stdout }) => {
    throw new Error(stdout)
  })

await promisify(execFile)(process.execPath, [join(here, '../scripts/client/types.mjs')])
await rm(dist, { recursive: true, force: true })
await Promise.all([compile('--emitDeclarationOnly'), compile('--declaration', 'false', '--removeComments')])

const rewrite = async (files, from, to) => {
  for await (const path of glob(`${dist}/${files}`))
    await writeFile(path, (await readFile(path, 'utf8')).replace(from, to))
}
// The compiler rewrites the extensions of imports in JavaScript only, and indents it by four spaces.
await rewrite('**/*.d.ts', /(?<= from .\.[^']+)\.ts(?=')/g, '.js')
await rewrite('**/*.js', /^ +/gm, (spaces) => ' '.repeat(spaces.length / 2))
