import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { lanes } from '../../domain/lanes.ts'

const root = join(import.meta.dirname, '../..')
const program = (name: string): string => join(root, 'node_modules/.bin', name)

/** Folders with a tsconfig.json, sorted backwards: the Worker and the tests take longest, and do not start last. */
const projects = globSync('{*,*/*}/tsconfig.json', { cwd: root, exclude: ['node_modules'] })
  .map(dirname)
  .sort()
  .reverse()
const generatedTypes = ['worker/bindings.d.ts', '--strict-vars=false', '--include-runtime=false', '--check']
const pythonTool = (name: string): string => join(root, '.tools/python-tools/bin', name)
const pythonFolders = ['python', 'test/rules/python', 'test/walk']
const mypyOptions = ['--config-file=python/pyproject.toml', '--cache-dir=.tools/python-tools/mypy']

type Check = [name: string, command: string, ...args: string[]]

const checks: Check[] = [
  // The slowest check starts first.
  ['generated types', program('wrangler'), 'types', ...generatedTypes],
  ['format and lint', program('biome'), 'ci', `--colors=${process.stdout.isTTY ? 'force' : 'off'}`, '.'],
  ['tables of settings', process.execPath, 'scripts/settings/tables.ts', '--check'],
  ['direction of imports', process.execPath, 'scripts/check/import-direction.ts'],
  ['format of python', pythonTool('ruff'), 'format', '--quiet', '--check', ...pythonFolders],
  ['lint of python', pythonTool('ruff'), 'check', '--quiet', ...pythonFolders],
  // The frameworks are installed by `npm run test:long`, which checks these two.
  ['types of python', pythonTool('mypy'), ...mypyOptions, '--exclude=/(langchain|llama_index)[.]py$', 'python/src'],
  ...projects.map((folder): Check => [`types of ${folder}`, program('tsc'), '-p', folder]),
]

const run = ([name, command, ...args]: Check): Promise<boolean> => {
  const since = performance.now()
  const env = { ...process.env, WRANGLER_SEND_METRICS: 'false', WRANGLER_HIDE_BANNER: 'true' }
  return new Promise((resolve) => {
    execFile(command, args, { cwd: root, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      const seconds = ((performance.now() - since) / 1000).toFixed(1)
      console.log(`${error ? 'FAILED' : 'ok    '} ${name} (${seconds} s)`)
      if (error) console.log(`${stdout}${stderr}`.trim() || error.message)
      resolve(!error)
    })
  })
}

const results: boolean[] = []
await lanes(Math.max(2, availableParallelism()), checks, async (check) => void results.push(await run(check)))
process.exitCode = results.includes(false) ? 1 : 0
