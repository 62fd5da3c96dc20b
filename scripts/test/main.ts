import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** The part of Vitest's JSON report that we read. */
interface Report {
  numPassedTests: number
  numFailedTests: number
  testResults: { status: string; assertionResults: unknown[] }[]
}

const runTests = (reportFile: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${reportFile}`]
    const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...reporters, ...process.argv.slice(2)]
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' })
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGTERM']))
  })

/** A file that cannot be loaded has no tests and counts as one failed test. */
const counts = async (reportFile: string): Promise<{ passed: number; failed: number }> => {
  const report = (await readFile(reportFile, 'utf8').then(JSON.parse, () => null)) as Report | null
  if (!report) return { passed: 0, failed: 1 }
  const unloaded = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0)
  return { passed: report.numPassedTests, failed: report.numFailedTests + unloaded.length }
}

const folder = await mkdtemp(join(tmpdir(), 'haul-test-'))
const reportFile = join(folder, 'report.json')
const code = await runTests(reportFile)
const { passed, failed } = await counts(reportFile)
await rm(folder, { recursive: true, force: true })
const { HAUL_TEST_WITHOUT_S3: s3Refusal } = process.env
if (s3Refusal)
  console.log(`NOT TESTED: copies to a bucket, because their S3 server cannot be downloaded (${s3Refusal})`)
// Vitest also fails on errors outside of tests, such as an unhandled rejection.
console.log(`${passed} passed, ${code === 0 ? failed : Math.max(1, failed)} failed`)
process.exitCode = code
