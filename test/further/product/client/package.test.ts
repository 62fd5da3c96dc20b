import { execFile } from 'node:child_process'
import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installPackedClient } from './packed-client.ts'

/** What users of the client install. */
const run = promisify(execFile)
const packages = join(import.meta.dirname, '../../../../node_modules')
const tsc = join(packages, '.bin/tsc')
let folder: string
let installed: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haul-package-'))
  installed = join(folder, 'node_modules/haul-client')
  await installPackedClient(folder)
}, 90_000)

afterAll(() => rm(folder, { recursive: true, force: true }))

/** What a bundler makes of an entry point, not minified. It names each file in a comment. */
const bundled = async (entry: string, external: string[] = []): Promise<string> => {
  const options = { bundle: true, format: 'esm', platform: 'browser', write: false } as const
  const { outputFiles } = await build({ ...options, external, entryPoints: [join(installed, entry)] })
  return `${outputFiles[0]?.text}`.replace(/^\/\/ .*\n/gm, '')
}

test('the library has at most 32 KB, not minified, and needs neither a package nor Node', async () => {
  const text = await bundled('dist/src/index.js')
  expect(text).not.toMatch(/^import /m)
  expect(text.length).toBeLessThanOrEqual(32_000)
})

test('the provider for the AI SDK adds at most 8 KB to it, and one package, which is not installed with it', async () => {
  const text = await bundled('dist/ai/index.js', ['@ai-sdk/provider', '../src/*'])
  const imports = [...text.matchAll(/ from "(.*)";/g)].map(([, name]) => name)
  const ofLibrary = ['index', 'http/connection', 'start-options'].map((name) => `../src/${name}.js`)
  expect(new Set(imports)).toEqual(new Set(['@ai-sdk/provider', ...ofLibrary]))
  expect(text.length).toBeLessThanOrEqual(8_000)
  const { peerDependencies, peerDependenciesMeta } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  expect(Object.keys(peerDependencies)).toEqual(Object.keys(peerDependenciesMeta))
  expect(await readdir(join(folder, 'node_modules'))).not.toContain('@ai-sdk')
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

const environments = {
  'a browser': {
    ...{ lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'], types: [] },
    ...{ moduleResolution: 'bundler', module: 'esnext' },
  },
  Node: { lib: ['es2023'], types: ['node'], moduleResolution: 'nodenext', module: 'nodenext' },
}
const named = Object.entries(environments)

/** What the compiler has to say about a program in a folder. */
const compile = async (at: string, file: string, options: object): Promise<string> => {
  const compilerOptions = {
    ...{ target: 'es2022', strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
    ...{ skipLibCheck: false, noEmit: true, verbatimModuleSyntax: true, typeRoots: [join(packages, '@types')] },
    ...options,
  }
  await copyFile(join(import.meta.dirname, file), join(at, file))
  await writeFile(join(at, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }))
  const { stdout } = await run(tsc, ['-p', at]).catch((error) => error)
  return stdout
}

test.each(named)('programs for %s compile with the strictest settings', async (_, environment) => {
  expect(await compile(folder, 'usage.ts', environment)).toBe('')
})

test.each(named)('programs with the AI SDK for %s compile', async (_, environment) => {
  const program = await mkdtemp(join(folder, 'ai-'))
  await writeFile(join(program, 'package.json'), JSON.stringify({ type: 'module' }))
  await mkdir(join(program, 'node_modules'))
  for (const name of ['ai', '@ai-sdk']) await symlink(join(packages, name), join(program, 'node_modules', name))
  // A copy, because from the place of a link the compiler would not find what this program has installed.
  await cp(installed, join(program, 'node_modules/haul-client'), { recursive: true })
  // The declarations of the AI SDK itself do not compile with the strictest settings.
  expect(await compile(program, 'usage-ai.ts', { ...environment, skipLibCheck: true })).toBe('')
})

test('in a checkout, npx finds the command line', async () => {
  const { stdout } = await run(join(packages, '.bin/haul'), ['--version'])
  const { version } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  expect(stdout).toBe(`${version}\n`)
})
