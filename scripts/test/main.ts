import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runInForeground } from '../setup/command.mjs'
import { compileCache, root } from '../start/environment.ts'

/** The folders of `npm test`. What else is in `test/` only `npm run test:all` runs, after these. */
const quick = ['rules', 'worker', 'container', 'bucket', 'simulation', 'walk'].map((name) => `test/${name}/`)
const further = ['further', 'clients/openapi', 'clients/programs'].map((name) => `test/${name}/`)

const plain = process.stdout.isTTY ? {} : { NO_COLOR: '1' }

/** Returns the exit code. */
const runTests = (args: readonly string[]): Promise<number> => {
  const reporter = `--reporter=${join(import.meta.dirname, 'dots.ts')}`
  const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', reporter, ...args]
  return runInForeground(process.execPath, vitest, { cwd: root, env: { ...plain, ...process.env, ...compileCache } })
}

/** Paths choose other tests, and all other arguments go to Vitest. */
const [isAll, args] = [process.argv.includes('--all'), process.argv.slice(2).filter((arg) => arg !== '--all')]
const hasPaths = args.some((arg) => !arg.startsWith('-') && existsSync(join(root, arg)))
/** Further tests wait more for programs than they compute. */
const manyWorkers = '--maxWorkers=4'
const parts = hasPaths ? [[]] : isAll ? [quick, [...further, manyWorkers]] : [quick]
for (const folders of parts) process.exitCode = (await runTests([...folders, ...args])) || process.exitCode
const { HAUL_TEST_WITHOUT_S3: s3Refusal } = process.env
if (s3Refusal)
  console.log(`NOT TESTED: copies to a bucket, because their S3 server cannot be downloaded (${s3Refusal})`)
