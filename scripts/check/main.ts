import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { lanes } from '../../domain/lanes.ts'

const root = join(import.meta.dirname, '../..')
const program = (name: string): string => join(root, 'node_modules/.bin', name)

interface Check {
  name: string
  command: string
  args: string[]
}

/** Folders with a tsconfig.json, sorted backwards: the Worker and the tests take longest, and do not start last. */
const projects = globSync('{*,*/*}/tsconfig.json', { cwd: root, exclude: ['node_modules'] })
  .map(dirname)
  .sort()
  .reverse()
const generatedTypes = ['worker/bindings.d.ts', '--strict-vars=false', '--include-runtime=false', '--check']

const pythonTool = (name: string): string => join(root, '.tools/python-tools/bin', name)
const pythonFolders = ['python', 'test/rules/python', 'test/walk']
const mypyOptions = ['--config-file=python/pyproject.toml', '--cache-dir=.tools/python-tools/mypy']

const checks: Check[] = [
  // The slowest check starts first.
  { name: 'generated types', command: program('wrangler'), args: ['types', ...generatedTypes] },
  {
    name: 'format and lint',
    command: program('biome'),
    args: ['ci', `--colors=${process.stdout.isTTY ? 'force' : 'off'}`, '.'],
  },
  { name: 'tables of settings', command: process.execPath, args: ['scripts/settings/tables.ts', '--check'] },
  { name: 'direction of imports', command: process.execPath, args: ['scripts/check/import-direction.ts'] },
  { name: 'format of python', command: pythonTool('ruff'), args: ['format', '--quiet', '--check', ...pythonFolders] },
  { name: 'lint of python', command: pythonTool('ruff'), args: ['check', '--quiet', ...pythonFolders] },
  {
    name: 'types of python',
    command: pythonTool('mypy'),
    // The frameworks are installed by `npm run test:long`, which checks these two.
    args: [...mypyOptions, '--exclude=/(langchain|llama_index)[.]py$', 'python/src'],
  },
  ...projects.map((folder) => ({ name: `types of ${folder}`, command: program('tsc'), args: ['-p', folder] })),
]

/** Prints the output of a check only if it fails. */
const run = ({ name, command, args }: Check): Promise<boolean> => {
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
