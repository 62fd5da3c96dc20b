import { copyFile, cp, mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { run } from '../../../scripts/setup/command.mjs'
import type { Generators } from './install.ts'

export interface Making {
  generators: Generators
  /** The client and its program are made here. */
  folder: string
  haulUrl: string
}

/** Makes a client, and compiles it with a program that uses it. Returns the command of the program. */
type Make = (making: Making) => Promise<string[]>
type Generate = (making: Making) => Promise<unknown>

const programs = join(import.meta.dirname, 'programs')

/** Of a bundler, which the generators for TypeScript expect. */
const compilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  types: ['node'],
}

const typescript =
  (program: string, generate: Generate): Make =>
  async (making) => {
    const { generators, folder } = making
    const [source, bundle] = [join(folder, 'main.ts'), join(folder, 'main.mjs')]
    await symlink(generators.modules, join(folder, 'node_modules'))
    await generate(making)
    await copyFile(join(programs, `${program}.ts`), source)
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }))
    await run(npmProgram(generators, 'tsc'), ['--noEmit', '-p', folder])
    const options = ['--bundle', '--platform=node', '--format=esm', '--log-level=error', `--outfile=${bundle}`]
    await run('node_modules/.bin/esbuild', [source, ...options])
    return ['node', bundle]
  }

const npmProgram = ({ modules }: Generators, name: string): string => join(modules, '.bin', name)

interface PythonClient {
  program: string
  packageName: string
  /** Of mypy. */
  strictness: string[]
}

const python =
  ({ program, packageName, strictness }: PythonClient, generate: Generate): Make =>
  async (making) => {
    const { generators, folder } = making
    await generate(making)
    await copyFile(join(programs, `${program}.py`), join(folder, 'main.py'))
    const checked = ['-p', packageName, '-m', 'main']
    await run(generators.python, ['-m', 'mypy', ...strictness, ...checked], { cwd: folder })
    return [generators.python, join(folder, 'main.py')]
  }

const openapiGenerator = ({ generators, haulUrl }: Making, language: string, output: string) => {
  const options = ['-g', language, '-i', `${haulUrl}/openapi-3.0.json`, '-o', output]
  return run(join(dirname(generators.python), 'openapi-generator-cli'), ['generate', ...options])
}

export const clients: Record<string, Make> = {
  'openapi-typescript and openapi-fetch': typescript('openapi-fetch', ({ generators, folder, haulUrl }) => {
    const options = ['--default-non-nullable=false', '--output', join(folder, 'generated/openapi-typescript.ts')]
    return run(npmProgram(generators, 'openapi-typescript'), [`${haulUrl}/openapi.json`, ...options])
  }),
  '@hey-api/openapi-ts': typescript('hey-api', ({ generators, folder, haulUrl }) => {
    const options = ['-i', `${haulUrl}/openapi.json`, '-o', 'generated/hey-api', '--no-log-file']
    return run(npmProgram(generators, 'openapi-ts'), options, { cwd: folder })
  }),
  orval: typescript('orval', async ({ generators, folder, haulUrl }) => {
    const output = { target: join(folder, 'generated/orval/haul.ts'), client: 'fetch', baseUrl: haulUrl }
    const config = join(folder, 'orval.config.mjs')
    await writeFile(config, `export default ${JSON.stringify({ haul: { input: `${haulUrl}/openapi.json`, output } })}`)
    return run(npmProgram(generators, 'orval'), ['--config', config], { cwd: folder })
  }),
  'openapi-generator for TypeScript': typescript('typescript-fetch', (making) =>
    openapiGenerator(making, 'typescript-fetch', join(making.folder, 'generated/typescript-fetch')),
  ),
  'openapi-python-client': python(
    { program: 'openapi_python_client', packageName: 'generated', strictness: ['--strict'] },
    async ({ generators, folder, haulUrl }) => {
      await mkdir(join(folder, 'generated'))
      await writeFile(join(folder, 'generated/__init__.py'), '')
      // It would call a formatter that is not installed.
      await writeFile(join(folder, 'config.yaml'), 'post_hooks: []\n')
      const output = join(folder, 'generated/openapi_python_client')
      const options = ['--meta', 'none', '--config', join(folder, 'config.yaml'), '--output-path', output]
      const generate = ['-m', 'openapi_python_client', 'generate', '--url', `${haulUrl}/openapi.json`]
      return run(generators.python, [...generate, ...options])
    },
  ),
  // Its own code has functions without types.
  'openapi-generator for Python': python(
    { program: 'openapi_generator', packageName: 'openapi_client', strictness: ['--check-untyped-defs'] },
    (making) => openapiGenerator(making, 'python', making.folder),
  ),
  'oapi-codegen for Go': async ({ generators, folder, haulUrl }) => {
    await cp(join(programs, 'go'), folder, { recursive: true })
    await mkdir(join(folder, 'haul'))
    const document = join(folder, 'openapi.json')
    await writeFile(document, await (await fetch(`${haulUrl}/openapi.json`)).text())
    const options = ['-generate', 'types,client', '-package', 'haul', '-o', join(folder, 'haul/haul.go')]
    await run(generators.oapiCodegen, [...options, document])
    await run('go', ['vet', './...'], { cwd: folder })
    await run('go', ['build', '-o', 'main', '.'], { cwd: folder })
    return [join(folder, 'main')]
  },
}
