import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { runInForeground } from '../setup/command.mjs'
import { compileCache, root } from '../start/environment.ts'

/** The part of Vitest's JSON report that we read. */
interface Report {
  numPassedTests: number
  numFailedTests: number
  testResults: { name: string; startTime: number; endTime: number; status: string; assertionResults: unknown[] }[]
}

/** The folders of `npm test`. What else is in `test/` only `npm run test:all` runs, after these. */
const quick = ['rules', 'worker', 'container', 'bucket', 'simulation', 'walk'].map((name) => `test/${name}/`)
const further = ['further', 'clients/openapi', 'clients/programs'].map((name) => `test/${name}/`)

const runTests = (reportFile: string, args: readonly string[]): Promise<number> => {
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${reportFile}`]
  const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...reporters, ...args]
  return runInForeground(process.execPath, vitest, { cwd: root, env: { ...process.env, ...compileCache } })
}

const readReport = (file: string): Promise<Report | null> => readFile(file, 'utf8').then(JSON.parse, () => null)

/** A file that cannot be loaded has no tests and counts as one failed test. */
const countsOf = (report: Report | null): { passed: number; failed: number } => {
  if (!report) return { passed: 0, failed: 1 }
  const unloaded = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0)
  return { passed: report.numPassedTests, failed: report.numFailedTests + unloaded.length }
}

const SHOWN = 10
const seconds = (ms: number): string => (ms / 1_000).toFixed(1).padStart(6)

/** The time of a file is from its first test to its last. Several files run at the same time. */
const printSlowest = ({ testResults }: Report): void => {
  const files = testResults.map(({ name, startTime, endTime }) => ({
    name: relative(root, name),
    ms: endTime - startTime,
  }))
  const all = files.reduce((sum, { ms }) => sum + ms, 0)
  console.log(`The slowest of ${files.length} files, which took ${seconds(all).trim()} s together:`)
  for (const { name, ms } of files.toSorted((a, b) => b.ms - a.ms).slice(0, SHOWN))
    console.log(`${seconds(ms)} s  ${name}`)
}

/** Runs some tests and prints what came of them. Returns the exit code. */
const runPart = async (args: readonly string[]): Promise<number> => {
  const folder = await mkdtemp(join(tmpdir(), 'haul-test-'))
  const reportFile = join(folder, 'report.json')
  const code = await runTests(reportFile, args)
  const report = await readReport(reportFile)
  const { passed, failed } = countsOf(report)
  await rm(folder, { recursive: true, force: true })
  if (report && report.testResults.length > 1) printSlowest(report)
  const { HAUL_TEST_WITHOUT_S3: s3Refusal } = process.env
  if (s3Refusal)
    console.log(`NOT TESTED: copies to a bucket, because their S3 server cannot be downloaded (${s3Refusal})`)
  // Vitest also fails on errors outside of tests, such as an unhandled rejection.
  console.log(`${passed} passed, ${code === 0 ? failed : Math.max(1, failed)} failed`)
  return code
}

/** `npm test`, with `--all` also the further tests. Paths choose other tests, and all else goes to Vitest. */
const [isAll, args] = [process.argv.includes('--all'), process.argv.slice(2).filter((arg) => arg !== '--all')]
const hasPaths = args.some((arg) => !arg.startsWith('-') && existsSync(join(root, arg)))
const parts = hasPaths ? [[]] : isAll ? [quick, further] : [quick]
for (const folders of parts) process.exitCode = (await runPart([...folders, ...args])) || process.exitCode
