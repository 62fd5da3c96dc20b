import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installPackedClient } from '../packed-client.ts'

/** What users of the client install. */
const run = promisify(execFile)
const tsc = join(import.meta.dirname, '../../../node_modules/.bin/tsc')
let folder: string
let installed: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haul-package-'))
  installed = join(folder, 'node_modules/haul-client')
  await installPackedClient(folder)
  await copyFile(join(import.meta.dirname, 'usage.ts'), join(folder, 'usage.ts'))
}, 90_000)

afterAll(() => rm(folder, { recursive: true, force: true }))

test('the library has at most 30 KB, not minified, and needs neither a package nor Node', async () => {
  const entryPoints = [join(installed, 'dist/src/index.js')]
  const { outputFiles } = await build({ entryPoints, bundle: true, format: 'esm', platform: 'browser', write: false })
  // The bundler names each file in a comment.
  const text = `${outputFiles[0]?.text}`.replace(/^\/\/ .*\n/gm, '')
  expect(text).not.toMatch(/^import /m)
  expect(text.length).toBeLessThanOrEqual(30_000)
})

test('the package has what npm shows, what runs, and nothing else', async () => {
  const files = (await readdir(installed, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const names = files.map(({ parentPath, name }) => join(parentPath, name).slice(installed.length + 1))
  expect(names).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json', 'dist/src/index.js']))
  expect(
    names.filter((name) => !/^(LICENSE|README\.md|package\.json|bin\/haul\.js|dist\/.+\.(js|d\.ts))$/.test(name)),
  ).toEqual([])
  const { dependencies, engines } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  expect(Object.keys(dependencies).length).toBeLessThanOrEqual(2)
  expect(engines.node).toBe('>=20.16')
})

test.each([
  [
    'a browser',
    {
      lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
      types: [],
      moduleResolution: 'bundler',
      module: 'esnext',
    },
  ],
  ['Node', { lib: ['es2023'], types: ['node'], moduleResolution: 'nodenext', module: 'nodenext' }],
])('programs for %s compile with the strictest settings', async (_, environment) => {
  const compilerOptions = {
    ...environment,
    ...{ target: 'es2022', strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
    ...{ skipLibCheck: false, noEmit: true, verbatimModuleSyntax: true },
    typeRoots: [join(import.meta.dirname, '../../../node_modules/@types')],
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['usage.ts'] }))
  const { stdout } = await run(tsc, ['-p', folder]).catch((error) => error)
  expect(stdout).toBe('')
})

test('in a checkout, npx finds the command line', async () => {
  const { stdout } = await run(join(import.meta.dirname, '../../../node_modules/.bin/haul'), ['--version'])
  const { version } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  expect(stdout).toBe(`${version}\n`)
})
